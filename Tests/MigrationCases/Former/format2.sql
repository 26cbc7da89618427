PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE _swiftdata (key TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL) WITHOUT ROWID;
INSERT INTO _swiftdata VALUES('encryption','{"columns":[],"keys":[]}');
INSERT INTO _swiftdata VALUES('fingerprint','a8abe6ae733b85b48c8f49a5ac6c0075');
INSERT INTO _swiftdata VALUES('format','2');
INSERT INTO _swiftdata VALUES('identifier','9A479D85-FF7F-4FE4-96A0-321B7F47C0A2');
INSERT INTO _swiftdata VALUES('layout','{"pairTables":[{"name":"Playlist_tags","source":"Playlist","target":"Tag"},{"name":"Work_tags","source":"Event","target":"Tag"},{"name":"Party_tags","source":"Event","target":"Tag"}],"relationships":[{"destination":"Song","name":"songs","storage":{"inverse":{"column":"playlist"}},"table":"Playlist"},{"destination":"Tag","name":"tags","storage":{"pairs":{"isForward":true,"table":"Playlist_tags"}},"table":"Playlist"},{"destination":"Playlist","name":"playlist","storage":{"foreignKey":{"column":"playlist"}},"table":"Song"},{"destination":"Playlist","name":"lists","storage":{"pairs":{"isForward":false,"table":"Playlist_tags"}},"table":"Tag"},{"destination":"Tag","name":"tags","storage":{"pairs":{"isForward":true,"table":"Work_tags"}},"table":"Event"},{"destination":"Tag","name":"main","storage":{"foreignKey":{"column":"main"}},"table":"Event"},{"destination":"Tag","name":"tags","storage":{"pairs":{"isForward":true,"table":"Party_tags"}},"table":"Event"},{"destination":"Tag","name":"main","storage":{"foreignKey":{"column":"main"}},"table":"Event"},{"destination":"Event","name":"event","storage":{"foreignKey":{"column":"event"}},"table":"item"}],"tables":[{"classes":["Event","Work","Party","Gala","Fair"],"columns":[{"affinity":"TEXT","family":"text","formerNames":[],"isExternal":false,"isRequired":true,"name":"title","valueType":"String"},{"affinity":"INTEGER","family":"integer","formerNames":[],"isExternal":false,"isRequired":true,"name":"day","valueType":"Int"},{"affinity":"INTEGER","family":"integer","formerNames":[],"isExternal":false,"isRequired":false,"name":"cost","valueType":"Int"},{"affinity":"TEXT","family":"text","formerNames":[],"isExternal":false,"isRequired":false,"name":"place","valueType":"String"},{"affinity":"INTEGER","family":"key","formerNames":[],"isExternal":false,"isRequired":false,"name":"main","reference":{"setsNull":true,"table":"Tag"},"valueType":""},{"affinity":"TEXT","family":"text","formerNames":[],"isExternal":false,"isRequired":false,"name":"note","valueType":"String"},{"affinity":"TEXT","family":"text","formerNames":[],"isExternal":false,"isRequired":false,"name":"code","valueType":"String"},{"family":"mixed","formerNames":[],"isExternal":false,"isRequired":false,"name":"value","valueType":""}],"hasDiscriminator":true,"indices":[{"columns":["main"],"isUnique":false},{"columns":["code"],"isUnique":true}],"name":"Event"},{"classes":["Plain"],"columns":[{"affinity":"TEXT","family":"text","formerNames":[],"isExternal":false,"isRequired":true,"name":"text","valueType":"String"}],"hasDiscriminator":false,"indices":[],"name":"Plain"},{"classes":["Playlist"],"columns":[{"affinity":"TEXT","family":"text","formerNames":[],"isExternal":false,"isRequired":true,"name":"name","valueType":"String"}],"hasDiscriminator":false,"indices":[],"name":"Playlist"},{"classes":["Song"],"columns":[{"affinity":"TEXT","family":"text","formerNames":[],"isExternal":false,"isRequired":true,"name":"title","valueType":"String"},{"affinity":"TEXT","family":"text","formerNames":[],"isExternal":false,"isRequired":true,"name":"words","valueType":"String"},{"affinity":"INTEGER","family":"integer","formerNames":[],"isExternal":false,"isRequired":true,"name":"rank","valueType":"Int"},{"affinity":"INTEGER","family":"integer","formerNames":[],"isExternal":false,"isRequired":true,"name":"number","valueType":"Int"},{"affinity":"INTEGER","family":"integer","formerNames":[],"isExternal":false,"isRequired":true,"name":"side","valueType":"Int"},{"affinity":"INTEGER","family":"key","formerNames":[],"isExternal":false,"isRequired":false,"name":"playlist","reference":{"setsNull":true,"table":"Playlist"},"valueType":""},{"affinity":"INTEGER","family":"position","isExternal":false,"isRequired":false,"name":"playlist_position","valueType":""}],"hasDiscriminator":false,"indices":[{"columns":["title"],"isUnique":true},{"columns":["number","side"],"isUnique":true},{"columns":["playlist"],"isUnique":false},{"columns":["rank"],"isUnique":false}],"name":"Song"},{"classes":["Tag"],"columns":[{"affinity":"TEXT","family":"text","formerNames":[],"isExternal":false,"isRequired":true,"name":"name","valueType":"String"}],"hasDiscriminator":false,"indices":[],"name":"Tag"},{"classes":["item"],"columns":[{"affinity":"INTEGER","family":"integer","formerNames":[],"isExternal":false,"isRequired":true,"name":"v","valueType":"Int"},{"affinity":"INTEGER","family":"key","formerNames":[],"isExternal":false,"isRequired":false,"name":"event","reference":{"setsNull":true,"table":"Event"},"valueType":""}],"hasDiscriminator":false,"indices":[{"columns":["event"],"isUnique":false}],"name":"item"}]}');
INSERT INTO _swiftdata VALUES('retained','{"pairTables":[],"relationships":[],"tables":[]}');
INSERT INTO _swiftdata VALUES('schema','{"encodingVersion":{"major":1,"minor":0,"patch":0},"entities":[{"indices":[],"inheritedProperties":[],"name":"Playlist","storedProperties":[{"kind":"attribute","property":{"isOptional":false,"name":"name","valueType":"String"}},{"kind":"relationship","property":{"deleteRule":"nullify","destination":"Song","inverseName":"playlist","isOptional":false,"isToOne":false,"maximumModelCount":0,"minimumModelCount":0,"name":"songs","options":[],"valueType":"Swift.Array<LegacyFixture.Song>"}},{"kind":"relationship","property":{"deleteRule":"nullify","destination":"Tag","inverseName":"lists","isOptional":false,"isToOne":false,"name":"tags","options":[],"valueType":"Swift.Array<LegacyFixture.Tag>"}}],"uniquenessConstraints":[]},{"indices":[["binary","rank"]],"inheritedProperties":[],"name":"Song","storedProperties":[{"kind":"attribute","property":{"isOptional":false,"name":"title","options":[{"kind":{"unique":{}}}],"valueType":"String"}},{"kind":"attribute","property":{"isOptional":false,"name":"words","options":[{"kind":{"spotlight":{}}}],"valueType":"String"}},{"kind":"attribute","property":{"isOptional":false,"name":"rank","valueType":"Int"}},{"kind":"attribute","property":{"isOptional":false,"name":"number","valueType":"Int"}},{"kind":"attribute","property":{"isOptional":false,"name":"side","valueType":"Int"}},{"kind":"relationship","property":{"deleteRule":"nullify","destination":"Playlist","inverseName":"songs","isOptional":true,"isToOne":true,"name":"playlist","options":[],"valueType":"LegacyFixture.Playlist?"}}],"uniquenessConstraints":[["title"],["number","side"]]},{"indices":[],"inheritedProperties":[],"name":"Tag","storedProperties":[{"kind":"attribute","property":{"isOptional":false,"name":"name","valueType":"String"}},{"kind":"relationship","property":{"deleteRule":"nullify","destination":"Playlist","inverseName":"tags","isOptional":false,"isToOne":false,"maximumModelCount":0,"minimumModelCount":0,"name":"lists","options":[],"valueType":"Swift.Array<LegacyFixture.Playlist>"}}],"uniquenessConstraints":[]},{"indices":[],"inheritedProperties":[],"name":"Event","storedProperties":[{"kind":"attribute","property":{"isOptional":false,"name":"title","valueType":"String"}},{"kind":"attribute","property":{"defaultValue":"1","isOptional":false,"name":"day","options":[{"kind":{"preserveValueOnDeletion":{}}}],"valueType":"Int"}}],"uniquenessConstraints":[]},{"indices":[],"inheritedProperties":[{"kind":"attribute","property":{"isOptional":false,"name":"title","valueType":"String"}},{"kind":"attribute","property":{"defaultValue":"1","isOptional":false,"name":"day","options":[{"kind":{"preserveValueOnDeletion":{}}}],"valueType":"Int"}}],"name":"Work","storedProperties":[{"kind":"attribute","property":{"defaultValue":"1","isOptional":false,"name":"cost","valueType":"Int"}},{"kind":"attribute","property":{"isOptional":true,"name":"place","valueType":"String?"}},{"kind":"relationship","property":{"deleteRule":"nullify","destination":"Tag","isOptional":false,"isToOne":false,"name":"tags","options":[],"valueType":"Swift.Array<LegacyFixture.Tag>"}},{"kind":"relationship","property":{"deleteRule":"nullify","destination":"Tag","isOptional":true,"isToOne":true,"name":"main","options":[],"valueType":"LegacyFixture.Tag?"}},{"kind":"attribute","property":{"defaultValue":"\"\"","isOptional":false,"name":"note","options":[{"kind":{"spotlight":{}}}],"valueType":"String"}}],"superentityName":"Event","uniquenessConstraints":[]},{"indices":[],"inheritedProperties":[{"kind":"attribute","property":{"isOptional":false,"name":"title","valueType":"String"}},{"kind":"attribute","property":{"defaultValue":"1","isOptional":false,"name":"day","options":[{"kind":{"preserveValueOnDeletion":{}}}],"valueType":"Int"}}],"name":"Party","storedProperties":[{"kind":"attribute","property":{"defaultValue":"2","isOptional":false,"name":"cost","valueType":"Int"}},{"kind":"attribute","property":{"isOptional":true,"name":"place","valueType":"String?"}},{"kind":"relationship","property":{"deleteRule":"nullify","destination":"Tag","isOptional":false,"isToOne":false,"name":"tags","options":[],"valueType":"Swift.Array<LegacyFixture.Tag>"}},{"kind":"relationship","property":{"deleteRule":"nullify","destination":"Tag","isOptional":true,"isToOne":true,"name":"main","options":[],"valueType":"LegacyFixture.Tag?"}},{"kind":"attribute","property":{"isOptional":false,"name":"code","options":[{"kind":{"unique":{}}}],"valueType":"String"}}],"superentityName":"Event","uniquenessConstraints":[["code"]]},{"indices":[],"inheritedProperties":[{"kind":"attribute","property":{"isOptional":false,"name":"title","valueType":"String"}},{"kind":"attribute","property":{"defaultValue":"1","isOptional":false,"name":"day","options":[{"kind":{"preserveValueOnDeletion":{}}}],"valueType":"Int"}},{"kind":"attribute","property":{"defaultValue":"2","isOptional":false,"name":"cost","valueType":"Int"}},{"kind":"attribute","property":{"isOptional":true,"name":"place","valueType":"String?"}},{"kind":"relationship","property":{"deleteRule":"nullify","destination":"Tag","isOptional":false,"isToOne":false,"name":"tags","options":[],"valueType":"Swift.Array<LegacyFixture.Tag>"}},{"kind":"relationship","property":{"deleteRule":"nullify","destination":"Tag","isOptional":true,"isToOne":true,"name":"main","options":[],"valueType":"LegacyFixture.Tag?"}},{"kind":"attribute","property":{"isOptional":false,"name":"code","options":[{"kind":{"unique":{}}}],"valueType":"String"}}],"name":"Gala","storedProperties":[{"kind":"attribute","property":{"defaultValue":"\"gold\"","isOptional":false,"name":"value","valueType":"String"}}],"superentityName":"Party","uniquenessConstraints":[]},{"indices":[],"inheritedProperties":[{"kind":"attribute","property":{"isOptional":false,"name":"title","valueType":"String"}},{"kind":"attribute","property":{"defaultValue":"1","isOptional":false,"name":"day","options":[{"kind":{"preserveValueOnDeletion":{}}}],"valueType":"Int"}}],"name":"Fair","storedProperties":[{"kind":"attribute","property":{"defaultValue":"7","isOptional":false,"name":"value","valueType":"Int"}}],"superentityName":"Event","uniquenessConstraints":[]},{"indices":[],"inheritedProperties":[],"name":"item","storedProperties":[{"kind":"attribute","property":{"defaultValue":"1","isOptional":false,"name":"v","valueType":"Int"}},{"kind":"relationship","property":{"deleteRule":"nullify","destination":"Event","isOptional":true,"isToOne":true,"name":"event","options":[],"valueType":"LegacyFixture.Event?"}}],"uniquenessConstraints":[]},{"indices":[],"inheritedProperties":[],"name":"Plain","storedProperties":[{"kind":"attribute","property":{"isOptional":false,"name":"text","valueType":"String"}}],"uniquenessConstraints":[]}],"version":{"major":1,"minor":0,"patch":0}}');
INSERT INTO _swiftdata VALUES('version','{"major":1,"minor":0,"patch":0}');
CREATE TABLE _swiftdata_keys (entity TEXT PRIMARY KEY NOT NULL, last INTEGER NOT NULL)
  WITHOUT ROWID;
INSERT INTO _swiftdata_keys VALUES('Event',6);
INSERT INTO _swiftdata_keys VALUES('Plain',1);
INSERT INTO _swiftdata_keys VALUES('Playlist',1);
INSERT INTO _swiftdata_keys VALUES('Song',3);
INSERT INTO _swiftdata_keys VALUES('Tag',3);
INSERT INTO _swiftdata_keys VALUES('item',1);
CREATE TABLE _swiftdata_denormalized (column_name TEXT PRIMARY KEY NOT NULL) WITHOUT ROWID;
INSERT INTO _swiftdata_denormalized VALUES('Event.note');
CREATE TABLE _swiftdata_history (
  id INTEGER PRIMARY KEY NOT NULL, timestamp REAL NOT NULL, author TEXT, program TEXT NOT NULL,
  process TEXT NOT NULL, changes TEXT NOT NULL
);
INSERT INTO _swiftdata_history VALUES(1,817539275.2510997057,NULL,'LegacyFixture','27754','[{"class":"Playlist","kind":0,"keys":[1,1]},{"class":"Song","kind":0,"keys":[1,3]},{"class":"Tag","kind":0,"keys":[1,3]},{"class":"Work","kind":0,"keys":[1,1]},{"class":"Party","kind":0,"keys":[2,1]},{"class":"Gala","kind":0,"keys":[3,1]},{"class":"Fair","kind":0,"keys":[4,1]},{"class":"Event","kind":0,"keys":[5,1]},{"class":"item","kind":0,"keys":[1,1]},{"class":"Plain","kind":0,"keys":[1,1]}]');
INSERT INTO _swiftdata_history VALUES(2,817539275.25979304315,NULL,'LegacyFixture','27754','[{"class":"Playlist","kind":1,"properties":["songs"],"keys":[1,1]},{"class":"Party","kind":1,"properties":["tags"],"keys":[2,1]}]');
INSERT INTO _swiftdata_history VALUES(3,817539275.26069080826,NULL,'LegacyFixture','27754','[{"class":"Work","kind":0,"keys":[6,1]}]');
INSERT INTO _swiftdata_history VALUES(4,817539275.2624130249,NULL,'LegacyFixture','27754','[{"class":"Work","kind":2,"tombstone":{"day":{"integer":{"_0":1}}},"keys":[6,1]}]');
CREATE TABLE _swiftdata_changes (id INTEGER PRIMARY KEY NOT NULL, changes TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS "Event" (
  _pk INTEGER PRIMARY KEY NOT NULL,
  _entity TEXT NOT NULL,
  "title" TEXT NOT NULL,
  "day" INTEGER NOT NULL,
  "cost" INTEGER,
  "place" TEXT,
  "main" INTEGER REFERENCES "Tag" (_pk) ON DELETE SET NULL DEFERRABLE INITIALLY DEFERRED,
  "note" TEXT,
  "code" TEXT,
  "value"
);
INSERT INTO Event VALUES(1,'Work','work',1,11,'office',2,'über',NULL,NULL);
INSERT INTO Event VALUES(2,'Party','party',1,22,NULL,3,NULL,'p',NULL);
INSERT INTO Event VALUES(3,'Gala','gala',1,33,NULL,NULL,NULL,'g','silver');
INSERT INTO Event VALUES(4,'Fair','fair',1,NULL,NULL,NULL,NULL,NULL,70);
INSERT INTO Event VALUES(5,'Event','event',1,NULL,NULL,NULL,NULL,NULL,NULL);
CREATE TABLE IF NOT EXISTS "Plain" (
  _pk INTEGER PRIMARY KEY NOT NULL,
  "text" TEXT NOT NULL
);
INSERT INTO Plain VALUES(1,'plain');
CREATE TABLE IF NOT EXISTS "Playlist" (
  _pk INTEGER PRIMARY KEY NOT NULL,
  "name" TEXT NOT NULL
);
INSERT INTO Playlist VALUES(1,'list');
CREATE TABLE IF NOT EXISTS "Song" (
  _pk INTEGER PRIMARY KEY NOT NULL,
  "title" TEXT NOT NULL,
  "words" TEXT NOT NULL,
  "rank" INTEGER NOT NULL,
  "number" INTEGER NOT NULL,
  "side" INTEGER NOT NULL,
  "playlist" INTEGER REFERENCES "Playlist" (_pk) ON DELETE SET NULL DEFERRABLE INITIALLY DEFERRED,
  "playlist_position" INTEGER
);
INSERT INTO Song VALUES(1,'a','words of a',30,30,0,1,8589934592);
INSERT INTO Song VALUES(2,'b','words of b',20,20,0,1,4294967296);
INSERT INTO Song VALUES(3,'c','words of c',10,10,0,1,0);
CREATE TABLE IF NOT EXISTS "Tag" (
  _pk INTEGER PRIMARY KEY NOT NULL,
  "name" TEXT NOT NULL
);
INSERT INTO Tag VALUES(1,'x');
INSERT INTO Tag VALUES(2,'y');
INSERT INTO Tag VALUES(3,'z');
CREATE TABLE IF NOT EXISTS "item" (
  _pk INTEGER PRIMARY KEY NOT NULL,
  "v" INTEGER NOT NULL,
  "event" INTEGER REFERENCES "Event" (_pk) ON DELETE SET NULL DEFERRABLE INITIALLY DEFERRED
);
INSERT INTO item VALUES(1,5,3);
CREATE TABLE IF NOT EXISTS "Playlist_tags" (
  source INTEGER NOT NULL REFERENCES "Playlist" (_pk) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
  target INTEGER NOT NULL REFERENCES "Tag" (_pk) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
  source_position INTEGER,
  target_position INTEGER,
  UNIQUE (source, target)
);
INSERT INTO Playlist_tags VALUES(1,1,NULL,NULL);
INSERT INTO Playlist_tags VALUES(1,2,NULL,NULL);
CREATE TABLE IF NOT EXISTS "Work_tags" (
  source INTEGER NOT NULL REFERENCES "Event" (_pk) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
  target INTEGER NOT NULL REFERENCES "Tag" (_pk) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
  source_position INTEGER,
  target_position INTEGER,
  UNIQUE (source, target)
);
INSERT INTO Work_tags VALUES(1,2,NULL,NULL);
INSERT INTO Work_tags VALUES(1,1,NULL,NULL);
CREATE TABLE IF NOT EXISTS "Party_tags" (
  source INTEGER NOT NULL REFERENCES "Event" (_pk) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
  target INTEGER NOT NULL REFERENCES "Tag" (_pk) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
  source_position INTEGER,
  target_position INTEGER,
  UNIQUE (source, target)
);
INSERT INTO Party_tags VALUES(2,3,4294967296,NULL);
INSERT INTO Party_tags VALUES(2,1,0,NULL);
PRAGMA writable_schema=ON;
INSERT INTO sqlite_schema(type,name,tbl_name,rootpage,sql)VALUES('table','_swiftdata_Event.search','_swiftdata_Event.search',0,'CREATE VIRTUAL TABLE "_swiftdata_Event.search" USING fts5("note_text", content=''_swiftdata_Event.search.texts'', content_rowid=''_pk'', tokenize="unicode61 remove_diacritics 2 categories ''L* N* Co So''")');
CREATE TABLE IF NOT EXISTS '_swiftdata_Event.search_data'(id INTEGER PRIMARY KEY, block BLOB);
INSERT INTO "_swiftdata_Event.search_data" VALUES(1,X'0501');
INSERT INTO "_swiftdata_Event.search_data" VALUES(10,X'000000000101010001010101');
INSERT INTO "_swiftdata_Event.search_data" VALUES(137438953473,X'0000000d05307562657201020204');
CREATE TABLE IF NOT EXISTS '_swiftdata_Event.search_idx'(segid, term, pgno, PRIMARY KEY(segid, term)) WITHOUT ROWID;
INSERT INTO "_swiftdata_Event.search_idx" VALUES(1,X'',2);
CREATE TABLE IF NOT EXISTS '_swiftdata_Event.search_docsize'(id INTEGER PRIMARY KEY, sz BLOB);
INSERT INTO "_swiftdata_Event.search_docsize" VALUES(1,X'01');
INSERT INTO "_swiftdata_Event.search_docsize" VALUES(2,X'00');
INSERT INTO "_swiftdata_Event.search_docsize" VALUES(3,X'00');
INSERT INTO "_swiftdata_Event.search_docsize" VALUES(4,X'00');
INSERT INTO "_swiftdata_Event.search_docsize" VALUES(5,X'00');
CREATE TABLE IF NOT EXISTS '_swiftdata_Event.search_config'(k PRIMARY KEY, v) WITHOUT ROWID;
INSERT INTO "_swiftdata_Event.search_config" VALUES('version',4);
INSERT INTO sqlite_schema(type,name,tbl_name,rootpage,sql)VALUES('table','_swiftdata_Song.search','_swiftdata_Song.search',0,'CREATE VIRTUAL TABLE "_swiftdata_Song.search" USING fts5("words_text", content=''_swiftdata_Song.search.texts'', content_rowid=''_pk'', tokenize="unicode61 remove_diacritics 2 categories ''L* N* Co So''")');
CREATE TABLE IF NOT EXISTS '_swiftdata_Song.search_data'(id INTEGER PRIMARY KEY, block BLOB);
INSERT INTO "_swiftdata_Song.search_data" VALUES(1,X'0309');
INSERT INTO "_swiftdata_Song.search_data" VALUES(10,X'000000000103030003010101020101030101');
INSERT INTO "_swiftdata_Song.search_data" VALUES(137438953473,X'0000001b02306101020401026f660102030105776f726473010202040607');
INSERT INTO "_swiftdata_Song.search_data" VALUES(274877906945,X'0000001b02306202020401026f660202030105776f726473020202040607');
INSERT INTO "_swiftdata_Song.search_data" VALUES(412316860417,X'0000001b02306303020401026f660302030105776f726473030202040607');
CREATE TABLE IF NOT EXISTS '_swiftdata_Song.search_idx'(segid, term, pgno, PRIMARY KEY(segid, term)) WITHOUT ROWID;
INSERT INTO "_swiftdata_Song.search_idx" VALUES(1,X'',2);
INSERT INTO "_swiftdata_Song.search_idx" VALUES(2,X'',2);
INSERT INTO "_swiftdata_Song.search_idx" VALUES(3,X'',2);
CREATE TABLE IF NOT EXISTS '_swiftdata_Song.search_docsize'(id INTEGER PRIMARY KEY, sz BLOB);
INSERT INTO "_swiftdata_Song.search_docsize" VALUES(1,X'03');
INSERT INTO "_swiftdata_Song.search_docsize" VALUES(2,X'03');
INSERT INTO "_swiftdata_Song.search_docsize" VALUES(3,X'03');
CREATE TABLE IF NOT EXISTS '_swiftdata_Song.search_config'(k PRIMARY KEY, v) WITHOUT ROWID;
INSERT INTO "_swiftdata_Song.search_config" VALUES('version',4);
CREATE INDEX "Event_main_index" ON "Event" ("main");
CREATE UNIQUE INDEX "Event_code_unique" ON "Event" ("code");
CREATE UNIQUE INDEX "Song_title_unique" ON "Song" ("title");
CREATE UNIQUE INDEX "Song_number_side_unique" ON "Song" ("number", "side");
CREATE INDEX "Song_playlist_index" ON "Song" ("playlist");
CREATE INDEX "Song_rank_index" ON "Song" ("rank");
CREATE INDEX "item_event_index" ON "item" ("event");
CREATE INDEX "Playlist_tags_target" ON "Playlist_tags" (target);
CREATE INDEX "Work_tags_target" ON "Work_tags" (target);
CREATE INDEX "Party_tags_target" ON "Party_tags" (target);
CREATE VIEW "_swiftdata_Event.search.texts" AS SELECT _pk, swift_search_text("note") AS "note_text" FROM "Event" /* 1 */;
CREATE TRIGGER "_swiftdata_Event.search.insert" AFTER INSERT ON "Event" BEGIN INSERT INTO "_swiftdata_Event.search" (rowid, "note_text") VALUES (new._pk, swift_search_text(new."note")); END;
CREATE TRIGGER "_swiftdata_Event.search.delete" AFTER DELETE ON "Event" BEGIN INSERT INTO "_swiftdata_Event.search" ("_swiftdata_Event.search", rowid, "note_text") VALUES ('delete', old._pk, swift_search_text(old."note")); END;
CREATE TRIGGER "_swiftdata_Event.search.update" AFTER UPDATE OF "note" ON "Event" BEGIN INSERT INTO "_swiftdata_Event.search" ("_swiftdata_Event.search", rowid, "note_text") VALUES ('delete', old._pk, swift_search_text(old."note")); INSERT INTO "_swiftdata_Event.search" (rowid, "note_text") VALUES (new._pk, swift_search_text(new."note")); END;
CREATE VIEW "_swiftdata_Song.search.texts" AS SELECT _pk, swift_search_text("words") AS "words_text" FROM "Song" /* 1 */;
CREATE TRIGGER "_swiftdata_Song.search.insert" AFTER INSERT ON "Song" BEGIN INSERT INTO "_swiftdata_Song.search" (rowid, "words_text") VALUES (new._pk, swift_search_text(new."words")); END;
CREATE TRIGGER "_swiftdata_Song.search.delete" AFTER DELETE ON "Song" BEGIN INSERT INTO "_swiftdata_Song.search" ("_swiftdata_Song.search", rowid, "words_text") VALUES ('delete', old._pk, swift_search_text(old."words")); END;
CREATE TRIGGER "_swiftdata_Song.search.update" AFTER UPDATE OF "words" ON "Song" BEGIN INSERT INTO "_swiftdata_Song.search" ("_swiftdata_Song.search", rowid, "words_text") VALUES ('delete', old._pk, swift_search_text(old."words")); INSERT INTO "_swiftdata_Song.search" (rowid, "words_text") VALUES (new._pk, swift_search_text(new."words")); END;
PRAGMA writable_schema=OFF;
COMMIT;
