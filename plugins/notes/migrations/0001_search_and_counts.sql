-- What tables.json cannot say: the trash in its order, counters, and the full-text index.

CREATE INDEX notes_in_trash ON notes (deleted, id) WHERE deleted IS NOT NULL;

-- One row. Counting 100,000 notes for every page shown would not stay constant; triggers keep these.
CREATE TABLE totals (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  notes INTEGER NOT NULL,
  unfiled INTEGER NOT NULL,
  pinned INTEGER NOT NULL,
  trash INTEGER NOT NULL
);
INSERT INTO totals VALUES (1, 0, 0, 0, 0);

CREATE TRIGGER notes_counted AFTER INSERT ON notes BEGIN
  UPDATE notebooks SET notes = notes + 1 WHERE id = new.notebook AND new.deleted IS NULL;
  UPDATE totals SET
    notes = notes + (new.deleted IS NULL),
    unfiled = unfiled + (new.deleted IS NULL AND new.notebook IS NULL),
    pinned = pinned + (new.deleted IS NULL AND new.pinned),
    trash = trash + (new.deleted IS NOT NULL);
END;

CREATE TRIGGER notes_recounted AFTER UPDATE OF notebook, deleted, pinned ON notes BEGIN
  UPDATE notebooks SET notes = notes - 1 WHERE id = old.notebook AND old.deleted IS NULL;
  UPDATE notebooks SET notes = notes + 1 WHERE id = new.notebook AND new.deleted IS NULL;
  UPDATE totals SET
    notes = notes - (old.deleted IS NULL) + (new.deleted IS NULL),
    unfiled = unfiled - (old.deleted IS NULL AND old.notebook IS NULL) + (new.deleted IS NULL AND new.notebook IS NULL),
    pinned = pinned - (old.deleted IS NULL AND old.pinned) + (new.deleted IS NULL AND new.pinned),
    trash = trash - (old.deleted IS NOT NULL) + (new.deleted IS NOT NULL);
END;

CREATE TRIGGER notes_discounted AFTER DELETE ON notes BEGIN
  UPDATE notebooks SET notes = notes - 1 WHERE id = old.notebook AND old.deleted IS NULL;
  UPDATE totals SET
    notes = notes - (old.deleted IS NULL),
    unfiled = unfiled - (old.deleted IS NULL AND old.notebook IS NULL),
    pinned = pinned - (old.deleted IS NULL AND old.pinned),
    trash = trash - (old.deleted IS NOT NULL);
END;

-- note_tags repeats what lists of a tag are ordered by, so that they are read off one index.
CREATE TRIGGER note_tags_follow AFTER UPDATE OF deleted, pinned, updated, title_key ON notes BEGIN
  UPDATE note_tags SET deleted = new.deleted, pinned = new.pinned, updated = new.updated, title_key = new.title_key
    WHERE note = new.id;
END;

CREATE TRIGGER note_tags_counted AFTER INSERT ON note_tags BEGIN
  UPDATE tags SET notes = notes + 1 WHERE id = new.tag AND new.deleted IS NULL;
END;

CREATE TRIGGER note_tags_recounted AFTER UPDATE OF tag, deleted ON note_tags BEGIN
  UPDATE tags SET notes = notes - 1 WHERE id = old.tag AND old.deleted IS NULL;
  UPDATE tags SET notes = notes + 1 WHERE id = new.tag AND new.deleted IS NULL;
END;

CREATE TRIGGER note_tags_discounted AFTER DELETE ON note_tags BEGIN
  UPDATE tags SET notes = notes - 1 WHERE id = old.tag AND old.deleted IS NULL;
  DELETE FROM tags WHERE id = old.tag AND NOT EXISTS (SELECT 1 FROM note_tags WHERE tag = old.tag);
END;

-- The full-text index. Notes in the trash are not in it.
CREATE VIEW notes_searched AS SELECT rowid AS place, title, text FROM notes WHERE deleted IS NULL;

CREATE VIRTUAL TABLE note_search USING fts5(
  title, text,
  content = 'notes_searched', content_rowid = 'place',
  tokenize = 'unicode61 remove_diacritics 2',
  prefix = '2 3'
);

CREATE TRIGGER notes_search_insert AFTER INSERT ON notes WHEN new.deleted IS NULL BEGIN
  INSERT INTO note_search (rowid, title, text) VALUES (new.rowid, new.title, new.text);
END;

-- One trigger for both halves: the old entry must go before the new one comes, and the order of triggers is not promised.
CREATE TRIGGER notes_search_update AFTER UPDATE OF title, text, deleted ON notes
  WHEN (old.deleted IS NULL) <> (new.deleted IS NULL) OR old.title <> new.title OR old.text <> new.text BEGIN
  INSERT INTO note_search (note_search, rowid, title, text)
    SELECT 'delete', old.rowid, old.title, old.text WHERE old.deleted IS NULL;
  INSERT INTO note_search (rowid, title, text)
    SELECT new.rowid, new.title, new.text WHERE new.deleted IS NULL;
END;

CREATE TRIGGER notes_search_delete AFTER DELETE ON notes WHEN old.deleted IS NULL BEGIN
  INSERT INTO note_search (note_search, rowid, title, text) VALUES ('delete', old.rowid, old.title, old.text);
END;
