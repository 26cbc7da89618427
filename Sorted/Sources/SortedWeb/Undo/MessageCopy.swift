import Foundation
import Sorted

/// All that a message has, apart from the store: what was deleted is made again from it.
struct MessageCopy: Codable {
  let id: String
  let conversationID: String
  let senderID: String
  let text: String
  let createdAt: Date
  let updatedAt: Date
  let status: MessageStatus
  let syncStatus: SyncStatus
  let retryCount: Int
  let lastSyncAttempt: Date?
  let nextSyncAttempt: Date?
  let syncError: String?
  let pendingFields: [String]
  let changeID: Int64
  let serverTime: Int64
  let editedAt: Date?
  let deletedAt: Date?
  let replyToID: String?
  /// Nil in copies that were made before messages had them, so that the bin outlives an upgrade.
  let reactions: [String: String]?
  let readBy: [String]
  /// Nil in copies that were made before messages had them.
  let deliveredTo: [String]?
  let category: MessageCategory?
  let categoryConfidence: Double?
  let sentiment: MessageSentiment?
  let sentimentIntensity: SentimentIntensity?
  let opportunityScore: Int?
  let faqMatchID: String?
  let faqConfidence: Double?
  let smartReplyDraft: String?
  let assistVersion: Int?
  let supermemoryID: String?
  let attachments: [AttachmentCopy]

  init(_ message: MessageEntity) {
    id = message.id
    conversationID = message.conversationID
    senderID = message.senderID
    text = message.text
    createdAt = message.createdAt
    updatedAt = message.updatedAt
    status = message.status
    syncStatus = message.syncStatus
    retryCount = message.retryCount
    lastSyncAttempt = message.lastSyncAttempt
    nextSyncAttempt = message.nextSyncAttempt
    syncError = message.syncError
    pendingFields = message.pendingFields
    changeID = message.changeID
    serverTime = message.serverTime
    editedAt = message.editedAt
    deletedAt = message.deletedAt
    replyToID = message.replyToID
    reactions = message.reactions
    readBy = message.readBy
    deliveredTo = message.deliveredTo
    category = message.category
    categoryConfidence = message.categoryConfidence
    sentiment = message.sentiment
    sentimentIntensity = message.sentimentIntensity
    opportunityScore = message.opportunityScore
    faqMatchID = message.faqMatchID
    faqConfidence = message.faqConfidence
    smartReplyDraft = message.smartReplyDraft
    assistVersion = message.assistVersion
    supermemoryID = message.supermemoryID
    attachments = message.attachments.map(AttachmentCopy.init)
  }

  /// Makes the message again, without its conversation and its attachments.
  func message() -> MessageEntity {
    let message = MessageEntity(
      id: id, conversationID: conversationID, senderID: senderID, text: text, createdAt: createdAt, status: status,
      syncStatus: syncStatus)
    message.updatedAt = updatedAt
    message.retryCount = retryCount
    message.lastSyncAttempt = lastSyncAttempt
    message.nextSyncAttempt = nextSyncAttempt
    message.syncError = syncError
    message.pendingFields = pendingFields
    message.changeID = changeID
    message.serverTime = serverTime
    message.editedAt = editedAt
    message.deletedAt = deletedAt
    message.replyToID = replyToID
    message.reactions = reactions ?? [:]
    message.readBy = readBy
    message.deliveredTo = deliveredTo ?? []
    message.category = category
    message.categoryConfidence = categoryConfidence
    message.sentiment = sentiment
    message.sentimentIntensity = sentimentIntensity
    message.opportunityScore = opportunityScore
    message.faqMatchID = faqMatchID
    message.faqConfidence = faqConfidence
    message.smartReplyDraft = smartReplyDraft
    message.assistVersion = assistVersion ?? 0
    message.supermemoryID = supermemoryID
    return message
  }
}

/// All that an attachment has; its file stays where it is.
struct AttachmentCopy: Codable {
  let id: String
  let type: AttachmentType
  let remoteURL: String?
  let localURL: String?
  let thumbnailURL: String?
  /// The file of an attachment that came from another inbox, or goes to one.
  let contents: Data?
  let fileSize: Int64
  let mimeType: String
  let fileName: String
  let uploadStatus: UploadStatus
  let uploadProgress: Double
  let uploadError: String?
  let createdAt: Date

  init(_ attachment: AttachmentEntity) {
    id = attachment.id
    type = attachment.type
    remoteURL = attachment.remoteURL
    localURL = attachment.localURL
    thumbnailURL = attachment.thumbnailURL
    contents = attachment.contents
    fileSize = attachment.fileSize
    mimeType = attachment.mimeType
    fileName = attachment.fileName
    uploadStatus = attachment.uploadStatus
    uploadProgress = attachment.uploadProgress
    uploadError = attachment.uploadError
    createdAt = attachment.createdAt
  }

  /// Makes the attachment again, without its message.
  func attachment() -> AttachmentEntity {
    let attachment = AttachmentEntity(
      id: id, type: type, localURL: localURL ?? "", fileSize: fileSize, mimeType: mimeType, fileName: fileName,
      createdAt: createdAt)
    attachment.remoteURL = remoteURL
    attachment.localURL = localURL
    attachment.contents = contents
    attachment.thumbnailURL = thumbnailURL
    attachment.uploadStatus = uploadStatus
    attachment.uploadProgress = uploadProgress
    attachment.uploadError = uploadError
    return attachment
  }
}
