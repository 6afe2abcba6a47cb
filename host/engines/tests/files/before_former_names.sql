-- A plugin's file as the host made it before tables.json knew of former names, many values, blobs
-- and computed fields; written by sqlite3's .dump.
CREATE TABLE tenon_meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO tenon_meta VALUES('form','1');
INSERT INTO tenon_meta VALUES('plugin','sample');
INSERT INTO tenon_meta VALUES('tables','{"tables":[{"name":"shelves","description":"Where the books are","fields":[{"name":"name","type":"text","unique":true}]},{"name":"books","timestamps":true,"authorship":true,"version":true,"fields":[{"name":"title","type":"text","description":"As printed","required":true,"searchable":true,"default":"Untitled","min":1,"max":200},{"name":"isbn","type":"text","unique":true,"hidden":true,"pattern":"^[0-9]{13}$"},{"name":"pages","type":"integer","indexed":true,"default":10,"min":1,"max":100000},{"name":"weight","type":"number","default":1,"min":0,"max":99.5},{"name":"loaned","type":"boolean","required":true,"default":false},{"name":"bought","type":"date","default":"@now","min":"1900-01-01"},{"name":"read","type":"datetime","read_only":true,"max":"2100-01-01T00:00:00.000Z"},{"name":"extra","type":"json","default":{"a":[1,"x"]}},{"name":"state","type":"choice","default":"open","choices":["open","don''t"]},{"name":"shelf","type":"reference","table":"shelves","on_delete":"clear"},{"name":"owner","type":"user","required":true}],"indexes":[{"fields":["shelf","title"],"unique":true},{"fields":["state","id"]}]}]}');
INSERT INTO tenon_meta VALUES('version','1.0.0');
CREATE TABLE tenon_migrations (owner TEXT NOT NULL, number INTEGER NOT NULL, name TEXT NOT NULL, checksum TEXT NOT NULL, applied TEXT NOT NULL, PRIMARY KEY (owner, number)) STRICT, WITHOUT ROWID;
CREATE TABLE "shelves" (
  "rowid" INTEGER PRIMARY KEY,
  "id" TEXT NOT NULL UNIQUE CONSTRAINT "id" CHECK (length("id") = 36),
  "name" TEXT
) STRICT;
INSERT INTO shelves VALUES(1,'01234567-0123-7123-8123-000000000001','upper');
CREATE TABLE "books" (
  "rowid" INTEGER PRIMARY KEY,
  "id" TEXT NOT NULL UNIQUE CONSTRAINT "id" CHECK (length("id") = 36),
  "title" TEXT NOT NULL DEFAULT 'Untitled' CONSTRAINT "title" CHECK (length("title") >= 1 AND length("title") <= 200),
  "isbn" TEXT,
  "pages" INTEGER DEFAULT 10 CONSTRAINT "pages" CHECK ("pages" >= 1 AND "pages" <= 100000),
  "weight" REAL DEFAULT 1.0 CONSTRAINT "weight" CHECK ("weight" >= 0.0 AND "weight" <= 99.5),
  "loaned" INTEGER NOT NULL DEFAULT 0 CONSTRAINT "loaned" CHECK ("loaned" IN (0, 1)),
  "bought" TEXT DEFAULT (date('now')) CONSTRAINT "bought" CHECK ("bought" GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]' AND "bought" IS date("bought", '+0 days') AND "bought" >= '1900-01-01'),
  "read" TEXT CONSTRAINT "read" CHECK ("read" GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9].[0-9][0-9][0-9]Z' AND "read" IS strftime('%Y-%m-%dT%H:%M:%fZ', "read", '+0 days') AND "read" <= '2100-01-01T00:00:00.000Z'),
  "extra" TEXT DEFAULT '{"a":[1,"x"]}' CONSTRAINT "extra" CHECK ("extra" IS NULL OR json_valid("extra")),
  "state" TEXT DEFAULT 'open' CONSTRAINT "state" CHECK ("state" IN ('open', 'don''t')),
  "shelf" TEXT REFERENCES "shelves"("id") ON DELETE SET NULL,
  "owner" TEXT NOT NULL,
  "created" TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')) CONSTRAINT "created" CHECK ("created" GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9].[0-9][0-9][0-9]Z' AND "created" IS strftime('%Y-%m-%dT%H:%M:%fZ', "created", '+0 days')),
  "updated" TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')) CONSTRAINT "updated" CHECK ("updated" GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9].[0-9][0-9][0-9]Z' AND "updated" IS strftime('%Y-%m-%dT%H:%M:%fZ', "updated", '+0 days')),
  "created_by" TEXT,
  "updated_by" TEXT,
  "version" INTEGER NOT NULL DEFAULT 1 CONSTRAINT "version" CHECK ("version" >= 1)
) STRICT;
INSERT INTO books VALUES(1,'01234567-0123-7123-8123-000000000002','Dune','9780000000001',412,1.0,0,'2020-02-29',NULL,'{"a":[1,"x"]}','open','01234567-0123-7123-8123-000000000001','01234567-0123-7123-8123-0000000000aa','2026-01-01T00:00:00.000Z','2026-01-01T00:00:00.000Z',NULL,NULL,1);
CREATE UNIQUE INDEX "tenon_ux_shelves__name" ON "shelves" ("name");
CREATE UNIQUE INDEX "tenon_ux_books__shelf__title" ON "books" ("shelf", "title");
CREATE INDEX "tenon_ix_books__state__id" ON "books" ("state", "id");
CREATE UNIQUE INDEX "tenon_ux_books__isbn" ON "books" ("isbn");
CREATE INDEX "tenon_ix_books__pages" ON "books" ("pages");
