-- What tables.json cannot say: what happened to a card, written where it happens, and what goes along with a card to another board.

-- A row put in here becomes one of activity, with an id (UUIDv7) and the time. A card keeps its newest 500.
CREATE VIEW happened (board, card, kind, actor, "before", "after") AS
  SELECT board, card, kind, actor, "before", "after" FROM activity;
CREATE TRIGGER happened_noted INSTEAD OF INSERT ON happened BEGIN
  INSERT INTO activity (id, board, card, kind, actor, "before", "after", created)
    SELECT printf('%08x-%04x-7%03x-%04x-%012x', ms >> 16, ms & 65535, random() & 4095, 32768 | (random() & 16383), random() & 281474976710655),
      new.board, new.card, new.kind, new.actor, new."before", new."after", strftime('%Y-%m-%dT%H:%M:%fZ', 'now')
    FROM (SELECT CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) AS ms);
  DELETE FROM activity WHERE rowid =
    (SELECT rowid FROM activity WHERE card = new.card ORDER BY created DESC, rowid DESC LIMIT 1 OFFSET 500);
END;

CREATE TRIGGER card_made AFTER INSERT ON cards BEGIN
  INSERT INTO happened VALUES (new.board, new.id, 'made', new.created_by, NULL, (SELECT title FROM columns WHERE id = new."column"));
END;

CREATE TRIGGER card_moved AFTER UPDATE OF "column" ON cards WHEN new."column" <> old."column" BEGIN
  INSERT INTO happened VALUES (new.board, new.id, 'moved', new.updated_by,
    (SELECT title FROM columns WHERE id = old."column"), (SELECT title FROM columns WHERE id = new."column"));
END;

CREATE TRIGGER card_renamed AFTER UPDATE OF title ON cards WHEN new.title <> old.title BEGIN
  INSERT INTO happened VALUES (new.board, new.id, 'renamed', new.updated_by, old.title, new.title);
END;

-- Somebody who writes is one row, however often it is saved.
CREATE TRIGGER card_described AFTER UPDATE OF description ON cards WHEN new.description IS NOT old.description AND NOT EXISTS (
  SELECT 1 FROM activity WHERE card = new.id AND kind = 'described' AND actor IS new.updated_by
    AND created > strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-10 minutes')) BEGIN
  INSERT INTO happened VALUES (new.board, new.id, 'described', new.updated_by, NULL, NULL);
END;

CREATE TRIGGER card_dated AFTER UPDATE OF due ON cards WHEN new.due IS NOT old.due BEGIN
  INSERT INTO happened VALUES (new.board, new.id, 'dated', new.updated_by, old.due, new.due);
END;

CREATE TRIGGER card_put_away AFTER UPDATE OF archived ON cards WHEN (new.archived IS NULL) <> (old.archived IS NULL) BEGIN
  INSERT INTO happened VALUES (new.board, new.id, CASE WHEN new.archived IS NULL THEN 'restored' ELSE 'archived' END, new.updated_by, NULL, NULL);
END;

CREATE TRIGGER item_ticked AFTER UPDATE OF done ON checklist_items WHEN new.done <> old.done BEGIN
  INSERT INTO happened SELECT new.board, new.card, CASE WHEN new.done THEN 'checked' ELSE 'unchecked' END, new.updated_by, NULL, new.title;
END;

CREATE TRIGGER card_changed_board AFTER UPDATE OF board ON cards WHEN new.board <> old.board BEGIN
  UPDATE checklist_items SET board = new.board WHERE card = new.id;
  UPDATE comments SET board = new.board WHERE card = new.id;
  UPDATE activity SET board = new.board WHERE card = new.id;
  DELETE FROM cards__labels WHERE record = new.id;
END;
