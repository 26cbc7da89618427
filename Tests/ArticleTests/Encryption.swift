#if Encryption || Sync
  import Foundation
  import SwiftData
  import Testing

  @Suite("Article: Encryption")
  struct Encryption {
    @Model
    final class Patient {
      var name: String
      @Attribute(.allowsCloudEncryption) var diagnosis: String?

      init(name: String) { self.name = name }
    }

    @Test("A key encrypts the attributes that ask for it, and another key replaces it")
    func keys() throws {
      let folder = try TemporaryFolder()
      let file = folder.file("patients.store")
      let keyFile = folder.file("key")
      do {
        // Once. A file of mode 0600, a secret of the service, or a key management service keeps the bytes.
        let new = ModelConfiguration.EncryptionKey.random()
        try new.withBytes { bytes in try bytes.write(to: keyFile, options: .withoutOverwriting) }

        // At each start.
        let key = try ModelConfiguration.EncryptionKey(Data(contentsOf: keyFile))
        var configuration = ModelConfiguration(url: file)
        configuration.encryptionKey = key
        let container = try ModelContainer(for: Patient.self, configurations: configuration)

        let context = ModelContext(container)
        let patient = Patient(name: "Ada")
        patient.diagnosis = "only for my eyes"
        context.insert(patient)
        try context.save()
        let bytes = try Data(contentsOf: file) + (try Data(contentsOf: URL(fileURLWithPath: file.path + "-wal")))
        #expect(bytes.range(of: Data("only for my eyes".utf8)) == nil)
        #expect(try Data(contentsOf: keyFile).count == 32)
      }

      let key = try ModelConfiguration.EncryptionKey(Data(contentsOf: keyFile))
      let newKey = ModelConfiguration.EncryptionKey.random()
      do {
        var configuration = ModelConfiguration(url: file)
        configuration.encryptionKey = newKey
        configuration.previousEncryptionKeys = [key]
        let container = try ModelContainer(for: Patient.self, configurations: configuration)
        try container.reencrypt()
      }

      #expect(throws: SwiftDataError.encryptionKey) {
        _ = try ModelContainer(for: Patient.self, configurations: ModelConfiguration(url: file))
      }
      var configuration = ModelConfiguration(url: file)
      configuration.encryptionKey = newKey
      let container = try ModelContainer(for: Patient.self, configurations: configuration)
      #expect(
        try ModelContext(container).fetch(FetchDescriptor<Patient>()).map(\.diagnosis) == ["only for my eyes"])
    }
  }
#endif
