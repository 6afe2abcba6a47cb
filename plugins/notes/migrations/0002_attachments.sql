-- Attachments that are gone and whose claims are still to be released.

CREATE TABLE attachments_gone (id TEXT PRIMARY KEY) WITHOUT ROWID;

CREATE TRIGGER attachments_let_go AFTER DELETE ON attachments BEGIN
  INSERT OR IGNORE INTO attachments_gone (id) VALUES (old.id);
END;
