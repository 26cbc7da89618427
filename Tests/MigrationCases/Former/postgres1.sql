CREATE FUNCTION "swift_forget_Event_note"() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN NEW."_words_note" := NULL; RETURN NEW; END $$;
CREATE FUNCTION "swift_forget_Song_words"() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN NEW."_words_words" := NULL; RETURN NEW; END $$;
CREATE TABLE "Event" (
    _pk bigint NOT NULL,
    _entity text NOT NULL COLLATE pg_catalog."C",
    title text NOT NULL COLLATE pg_catalog."C",
    day bigint NOT NULL,
    cost bigint,
    place text COLLATE pg_catalog."C",
    main bigint,
    note text COLLATE pg_catalog."C",
    code text COLLATE pg_catalog."C",
    value json,
    _given jsonb,
    _words_note tsvector
);
CREATE SEQUENCE "Event__keys"
    START WITH 1
    INCREMENT BY 64
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
CREATE SEQUENCE _swiftdata_pairs
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
CREATE TABLE "Party_tags" (
    _pk bigint DEFAULT nextval('_swiftdata_pairs'::regclass) NOT NULL,
    source bigint NOT NULL,
    target bigint NOT NULL,
    source_position bigint,
    target_position bigint
);
CREATE TABLE "Plain" (
    _pk bigint NOT NULL,
    text text NOT NULL COLLATE pg_catalog."C",
    _given jsonb
);
CREATE SEQUENCE "Plain__keys"
    START WITH 1
    INCREMENT BY 64
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
CREATE TABLE "Playlist" (
    _pk bigint NOT NULL,
    name text NOT NULL COLLATE pg_catalog."C",
    _given jsonb
);
CREATE SEQUENCE "Playlist__keys"
    START WITH 1
    INCREMENT BY 64
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
CREATE TABLE "Playlist_tags" (
    _pk bigint DEFAULT nextval('_swiftdata_pairs'::regclass) NOT NULL,
    source bigint NOT NULL,
    target bigint NOT NULL,
    source_position bigint,
    target_position bigint
);
CREATE TABLE "Song" (
    _pk bigint NOT NULL,
    title text NOT NULL COLLATE pg_catalog."C",
    words text NOT NULL COLLATE pg_catalog."C",
    rank bigint NOT NULL,
    number bigint NOT NULL,
    side bigint NOT NULL,
    playlist bigint,
    playlist_position bigint,
    _given jsonb,
    _words_words tsvector
);
CREATE SEQUENCE "Song__keys"
    START WITH 1
    INCREMENT BY 64
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
CREATE TABLE "Tag" (
    _pk bigint NOT NULL,
    name text NOT NULL COLLATE pg_catalog."C",
    _given jsonb
);
CREATE SEQUENCE "Tag__keys"
    START WITH 1
    INCREMENT BY 64
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
CREATE TABLE "Work_tags" (
    _pk bigint DEFAULT nextval('_swiftdata_pairs'::regclass) NOT NULL,
    source bigint NOT NULL,
    target bigint NOT NULL,
    source_position bigint,
    target_position bigint
);
CREATE TABLE _swiftdata_changes (
    id bigint NOT NULL,
    history bigint NOT NULL,
    kind bigint NOT NULL,
    entity text NOT NULL,
    key bigint NOT NULL,
    count bigint NOT NULL,
    properties text,
    tombstone text
);
CREATE TABLE _swiftdata_history (
    save uuid NOT NULL,
    id bigint,
    "timestamp" double precision NOT NULL,
    author text,
    program text NOT NULL,
    process text NOT NULL,
    origin uuid NOT NULL
);
CREATE TABLE _swiftdata_history_gone (
    id bigint NOT NULL,
    "timestamp" double precision NOT NULL,
    author text,
    program text NOT NULL,
    process text NOT NULL
);
CREATE TABLE _swiftdata_metadata (
    key text NOT NULL,
    value text NOT NULL
);
CREATE TABLE _swiftdata_numbers (
    name text NOT NULL,
    last bigint NOT NULL
);
CREATE TABLE item (
    _pk bigint NOT NULL,
    v bigint NOT NULL,
    event bigint,
    _given jsonb
);
CREATE SEQUENCE item__keys
    START WITH 1
    INCREMENT BY 64
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
INSERT INTO "Event" VALUES (1, 'Work', 'work', 1, 11, 'office', 2, 'über', NULL, NULL, '{"note": "dcyIYmVy"}', '''uber'':1');
INSERT INTO "Event" VALUES (2, 'Party', 'party', 1, 22, NULL, 3, NULL, 'p', NULL, NULL, NULL);
INSERT INTO "Event" VALUES (3, 'Gala', 'gala', 1, 33, NULL, NULL, NULL, 'g', '{"text":{"_0":"silver"}}', NULL, NULL);
INSERT INTO "Event" VALUES (4, 'Fair', 'fair', 1, NULL, NULL, NULL, NULL, NULL, '{"integer":{"_0":70}}', NULL, NULL);
INSERT INTO "Event" VALUES (5, 'Event', 'event', 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO "Party_tags" VALUES (6, 2, 1, 0, NULL);
INSERT INTO "Party_tags" VALUES (5, 2, 3, 4294967296, NULL);
INSERT INTO "Plain" VALUES (1, 'plain', NULL);
INSERT INTO "Playlist" VALUES (1, 'list', NULL);
INSERT INTO "Playlist_tags" VALUES (1, 1, 1, NULL, NULL);
INSERT INTO "Playlist_tags" VALUES (2, 1, 2, NULL, NULL);
INSERT INTO "Song" VALUES (1, 'a', 'words of a', 30, 30, 0, 1, 8589934592, NULL, '''a'':3 ''of'':2 ''words'':1');
INSERT INTO "Song" VALUES (2, 'b', 'words of b', 20, 20, 0, 1, 4294967296, NULL, '''b'':3 ''of'':2 ''words'':1');
INSERT INTO "Song" VALUES (3, 'c', 'words of c', 10, 10, 0, 1, 0, NULL, '''c'':3 ''of'':2 ''words'':1');
INSERT INTO "Tag" VALUES (1, 'x', NULL);
INSERT INTO "Tag" VALUES (2, 'y', NULL);
INSERT INTO "Tag" VALUES (3, 'z', NULL);
INSERT INTO "Work_tags" VALUES (3, 1, 2, NULL, NULL);
INSERT INTO "Work_tags" VALUES (4, 1, 1, NULL, NULL);
INSERT INTO _swiftdata_changes VALUES (4294967296, 1, 0, 'Playlist', 1, 1, NULL, NULL);
INSERT INTO _swiftdata_changes VALUES (4294967297, 1, 0, 'Song', 1, 3, NULL, NULL);
INSERT INTO _swiftdata_changes VALUES (4294967300, 1, 0, 'Tag', 1, 3, NULL, NULL);
INSERT INTO _swiftdata_changes VALUES (4294967303, 1, 0, 'Work', 1, 1, NULL, NULL);
INSERT INTO _swiftdata_changes VALUES (4294967304, 1, 0, 'Party', 2, 1, NULL, NULL);
INSERT INTO _swiftdata_changes VALUES (4294967305, 1, 0, 'Gala', 3, 1, NULL, NULL);
INSERT INTO _swiftdata_changes VALUES (4294967306, 1, 0, 'Fair', 4, 1, NULL, NULL);
INSERT INTO _swiftdata_changes VALUES (4294967307, 1, 0, 'Event', 5, 1, NULL, NULL);
INSERT INTO _swiftdata_changes VALUES (4294967308, 1, 0, 'item', 1, 1, NULL, NULL);
INSERT INTO _swiftdata_changes VALUES (4294967309, 1, 0, 'Plain', 1, 1, NULL, NULL);
INSERT INTO _swiftdata_changes VALUES (8589934592, 2, 1, 'Playlist', 1, 1, '["songs"]', NULL);
INSERT INTO _swiftdata_changes VALUES (8589934593, 2, 1, 'Party', 2, 1, '["tags"]', NULL);
INSERT INTO _swiftdata_changes VALUES (12884901888, 3, 0, 'Work', 6, 1, NULL, NULL);
INSERT INTO _swiftdata_changes VALUES (17179869184, 4, 2, 'Work', 6, 1, NULL, '{"day":{"integer":{"_0":1}}}');
INSERT INTO _swiftdata_history VALUES ('3bfe326c-9767-470d-a451-243daf1b5b46', 1, 817539284.9488859, NULL, 'LegacyFixture', '28154', '85d74309-470b-425d-93a7-59566beb0aa1');
INSERT INTO _swiftdata_history VALUES ('5a9f4227-f50e-4348-9adb-8c768fb9e7cb', 2, 817539284.9808688, NULL, 'LegacyFixture', '28154', '85d74309-470b-425d-93a7-59566beb0aa1');
INSERT INTO _swiftdata_history VALUES ('0f007223-f951-49cf-92ec-e89014358e43', 3, 817539284.9879767, NULL, 'LegacyFixture', '28154', '85d74309-470b-425d-93a7-59566beb0aa1');
INSERT INTO _swiftdata_history VALUES ('0f98726d-4361-4896-9ae9-a0553c452ecf', 4, 817539284.9929156, NULL, 'LegacyFixture', '28154', '85d74309-470b-425d-93a7-59566beb0aa1');
INSERT INTO _swiftdata_metadata VALUES ('identifier', 'C274175C-7584-4853-97A6-EB25ADC6CF6D');
INSERT INTO _swiftdata_metadata VALUES ('functions', '0');
INSERT INTO _swiftdata_metadata VALUES ('partitions', '[]');
INSERT INTO _swiftdata_metadata VALUES ('layout', '{"pairTables":[{"name":"Playlist_tags","source":"Playlist","target":"Tag"},{"name":"Work_tags","source":"Event","target":"Tag"},{"name":"Party_tags","source":"Event","target":"Tag"}],"relationships":[{"destination":"Song","name":"songs","storage":{"inverse":{"column":"playlist"}},"table":"Playlist"},{"destination":"Tag","name":"tags","storage":{"pairs":{"isForward":true,"table":"Playlist_tags"}},"table":"Playlist"},{"destination":"Playlist","name":"playlist","storage":{"foreignKey":{"column":"playlist"}},"table":"Song"},{"destination":"Playlist","name":"lists","storage":{"pairs":{"isForward":false,"table":"Playlist_tags"}},"table":"Tag"},{"destination":"Tag","name":"tags","storage":{"pairs":{"isForward":true,"table":"Work_tags"}},"table":"Event"},{"destination":"Tag","name":"main","storage":{"foreignKey":{"column":"main"}},"table":"Event"},{"destination":"Tag","name":"tags","storage":{"pairs":{"isForward":true,"table":"Party_tags"}},"table":"Event"},{"destination":"Tag","name":"main","storage":{"foreignKey":{"column":"main"}},"table":"Event"},{"destination":"Event","name":"event","storage":{"foreignKey":{"column":"event"}},"table":"item"}],"tables":[{"classes":["Event","Work","Party","Gala","Fair"],"columns":[{"affinity":"TEXT","family":"text","formerNames":[],"isExternal":false,"isRequired":true,"name":"title","valueType":"String"},{"affinity":"INTEGER","family":"integer","formerNames":[],"isExternal":false,"isRequired":true,"name":"day","valueType":"Int"},{"affinity":"INTEGER","family":"integer","formerNames":[],"isExternal":false,"isRequired":false,"name":"cost","valueType":"Int"},{"affinity":"TEXT","family":"text","formerNames":[],"isExternal":false,"isRequired":false,"name":"place","valueType":"String"},{"affinity":"INTEGER","family":"key","formerNames":[],"isExternal":false,"isRequired":false,"name":"main","reference":{"setsNull":true,"table":"Tag"},"valueType":""},{"affinity":"TEXT","family":"text","formerNames":[],"isExternal":false,"isRequired":false,"name":"note","valueType":"String"},{"affinity":"TEXT","family":"text","formerNames":[],"isExternal":false,"isRequired":false,"name":"code","valueType":"String"},{"family":"mixed","formerNames":[],"isExternal":false,"isRequired":false,"name":"value","valueType":""}],"hasDiscriminator":true,"indices":[{"columns":["main"],"isUnique":false},{"columns":["code"],"isUnique":true}],"name":"Event"},{"classes":["Plain"],"columns":[{"affinity":"TEXT","family":"text","formerNames":[],"isExternal":false,"isRequired":true,"name":"text","valueType":"String"}],"hasDiscriminator":false,"indices":[],"name":"Plain"},{"classes":["Playlist"],"columns":[{"affinity":"TEXT","family":"text","formerNames":[],"isExternal":false,"isRequired":true,"name":"name","valueType":"String"}],"hasDiscriminator":false,"indices":[],"name":"Playlist"},{"classes":["Song"],"columns":[{"affinity":"TEXT","family":"text","formerNames":[],"isExternal":false,"isRequired":true,"name":"title","valueType":"String"},{"affinity":"TEXT","family":"text","formerNames":[],"isExternal":false,"isRequired":true,"name":"words","valueType":"String"},{"affinity":"INTEGER","family":"integer","formerNames":[],"isExternal":false,"isRequired":true,"name":"rank","valueType":"Int"},{"affinity":"INTEGER","family":"integer","formerNames":[],"isExternal":false,"isRequired":true,"name":"number","valueType":"Int"},{"affinity":"INTEGER","family":"integer","formerNames":[],"isExternal":false,"isRequired":true,"name":"side","valueType":"Int"},{"affinity":"INTEGER","family":"key","formerNames":[],"isExternal":false,"isRequired":false,"name":"playlist","reference":{"setsNull":true,"table":"Playlist"},"valueType":""},{"affinity":"INTEGER","family":"position","isExternal":false,"isRequired":false,"name":"playlist_position","valueType":""}],"hasDiscriminator":false,"indices":[{"columns":["title"],"isUnique":true},{"columns":["number","side"],"isUnique":true},{"columns":["playlist"],"isUnique":false},{"columns":["rank"],"isUnique":false}],"name":"Song"},{"classes":["Tag"],"columns":[{"affinity":"TEXT","family":"text","formerNames":[],"isExternal":false,"isRequired":true,"name":"name","valueType":"String"}],"hasDiscriminator":false,"indices":[],"name":"Tag"},{"classes":["item"],"columns":[{"affinity":"INTEGER","family":"integer","formerNames":[],"isExternal":false,"isRequired":true,"name":"v","valueType":"Int"},{"affinity":"INTEGER","family":"key","formerNames":[],"isExternal":false,"isRequired":false,"name":"event","reference":{"setsNull":true,"table":"Event"},"valueType":""}],"hasDiscriminator":false,"indices":[{"columns":["event"],"isUnique":false}],"name":"item"}]}');
INSERT INTO _swiftdata_metadata VALUES ('version', '1.0.0');
INSERT INTO _swiftdata_metadata VALUES ('search', '1 Event: note
1 Song: words');
INSERT INTO _swiftdata_numbers VALUES ('history', 4);
INSERT INTO item VALUES (1, 5, 3, NULL);
SELECT pg_catalog.setval('"Event__keys"', 1, true);
SELECT pg_catalog.setval('"Plain__keys"', 1, true);
SELECT pg_catalog.setval('"Playlist__keys"', 1, true);
SELECT pg_catalog.setval('"Song__keys"', 1, true);
SELECT pg_catalog.setval('"Tag__keys"', 1, true);
SELECT pg_catalog.setval('_swiftdata_pairs', 6, true);
SELECT pg_catalog.setval('item__keys', 1, true);
ALTER TABLE ONLY "Event"
    ADD CONSTRAINT "Event_code_key" UNIQUE (code) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY "Event"
    ADD CONSTRAINT "Event_pkey" PRIMARY KEY (_pk);
ALTER TABLE ONLY "Party_tags"
    ADD CONSTRAINT "Party_tags_pkey" PRIMARY KEY (_pk);
ALTER TABLE ONLY "Party_tags"
    ADD CONSTRAINT "Party_tags_source_target_key" UNIQUE (source, target);
ALTER TABLE ONLY "Plain"
    ADD CONSTRAINT "Plain_pkey" PRIMARY KEY (_pk);
ALTER TABLE ONLY "Playlist"
    ADD CONSTRAINT "Playlist_pkey" PRIMARY KEY (_pk);
ALTER TABLE ONLY "Playlist_tags"
    ADD CONSTRAINT "Playlist_tags_pkey" PRIMARY KEY (_pk);
ALTER TABLE ONLY "Playlist_tags"
    ADD CONSTRAINT "Playlist_tags_source_target_key" UNIQUE (source, target);
ALTER TABLE ONLY "Song"
    ADD CONSTRAINT "Song_number_side_key" UNIQUE (number, side) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY "Song"
    ADD CONSTRAINT "Song_pkey" PRIMARY KEY (_pk);
ALTER TABLE ONLY "Song"
    ADD CONSTRAINT "Song_title_key" UNIQUE (title) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY "Tag"
    ADD CONSTRAINT "Tag_pkey" PRIMARY KEY (_pk);
ALTER TABLE ONLY "Work_tags"
    ADD CONSTRAINT "Work_tags_pkey" PRIMARY KEY (_pk);
ALTER TABLE ONLY "Work_tags"
    ADD CONSTRAINT "Work_tags_source_target_key" UNIQUE (source, target);
ALTER TABLE ONLY _swiftdata_changes
    ADD CONSTRAINT _swiftdata_changes_pkey PRIMARY KEY (id);
ALTER TABLE ONLY _swiftdata_history_gone
    ADD CONSTRAINT _swiftdata_history_gone_pkey PRIMARY KEY (id);
ALTER TABLE ONLY _swiftdata_history
    ADD CONSTRAINT _swiftdata_history_id_key UNIQUE (id);
ALTER TABLE ONLY _swiftdata_history
    ADD CONSTRAINT _swiftdata_history_pkey PRIMARY KEY (save);
ALTER TABLE ONLY _swiftdata_metadata
    ADD CONSTRAINT _swiftdata_metadata_pkey PRIMARY KEY (key);
ALTER TABLE ONLY _swiftdata_numbers
    ADD CONSTRAINT _swiftdata_numbers_pkey PRIMARY KEY (name);
ALTER TABLE ONLY item
    ADD CONSTRAINT item_pkey PRIMARY KEY (_pk);
CREATE INDEX "Event_main_index" ON "Event" USING btree (main NULLS FIRST);
CREATE INDEX "Event_note_wordless" ON "Event" USING btree (_pk) WHERE ((note IS NOT NULL) AND (_words_note IS NULL));
CREATE INDEX "Event_note_words" ON "Event" USING gin (COALESCE(_words_note, ''::tsvector));
CREATE INDEX "Party_tags_target_index" ON "Party_tags" USING btree (target);
CREATE INDEX "Playlist_tags_target_index" ON "Playlist_tags" USING btree (target);
CREATE INDEX "Song_playlist_index" ON "Song" USING btree (playlist NULLS FIRST);
CREATE INDEX "Song_rank_index" ON "Song" USING btree (rank NULLS FIRST);
CREATE INDEX "Song_words_wordless" ON "Song" USING btree (_pk) WHERE ((words IS NOT NULL) AND (_words_words IS NULL));
CREATE INDEX "Song_words_words" ON "Song" USING gin (COALESCE(_words_words, ''::tsvector));
CREATE INDEX "Work_tags_target_index" ON "Work_tags" USING btree (target);
CREATE INDEX _swiftdata_changes_history ON _swiftdata_changes USING btree (history);
CREATE INDEX item_event_index ON item USING btree (event NULLS FIRST);
CREATE TRIGGER "swift_forget_Event_note" BEFORE UPDATE OF note ON "Event" FOR EACH ROW WHEN (((new.note IS DISTINCT FROM old.note) AND (NOT (new._words_note IS DISTINCT FROM old._words_note)) AND (new._words_note IS NOT NULL))) EXECUTE FUNCTION "swift_forget_Event_note"();
CREATE TRIGGER "swift_forget_Song_words" BEFORE UPDATE OF words ON "Song" FOR EACH ROW WHEN (((new.words IS DISTINCT FROM old.words) AND (NOT (new._words_words IS DISTINCT FROM old._words_words)) AND (new._words_words IS NOT NULL))) EXECUTE FUNCTION "swift_forget_Song_words"();
ALTER TABLE ONLY "Event"
    ADD CONSTRAINT "Event_main_fkey" FOREIGN KEY (main) REFERENCES "Tag"(_pk) ON DELETE SET NULL DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY "Party_tags"
    ADD CONSTRAINT "Party_tags_source_fkey" FOREIGN KEY (source) REFERENCES "Event"(_pk) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY "Party_tags"
    ADD CONSTRAINT "Party_tags_target_fkey" FOREIGN KEY (target) REFERENCES "Tag"(_pk) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY "Playlist_tags"
    ADD CONSTRAINT "Playlist_tags_source_fkey" FOREIGN KEY (source) REFERENCES "Playlist"(_pk) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY "Playlist_tags"
    ADD CONSTRAINT "Playlist_tags_target_fkey" FOREIGN KEY (target) REFERENCES "Tag"(_pk) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY "Song"
    ADD CONSTRAINT "Song_playlist_fkey" FOREIGN KEY (playlist) REFERENCES "Playlist"(_pk) ON DELETE SET NULL DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY "Work_tags"
    ADD CONSTRAINT "Work_tags_source_fkey" FOREIGN KEY (source) REFERENCES "Event"(_pk) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY "Work_tags"
    ADD CONSTRAINT "Work_tags_target_fkey" FOREIGN KEY (target) REFERENCES "Tag"(_pk) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY item
    ADD CONSTRAINT item_event_fkey FOREIGN KEY (event) REFERENCES "Event"(_pk) ON DELETE SET NULL DEFERRABLE INITIALLY DEFERRED;
