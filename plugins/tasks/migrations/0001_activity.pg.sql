-- What tables.json cannot say: what happened to a card, written where it happens, and what goes along with a card to another board.

-- A row put in here becomes one of activity, with an id (UUIDv7) and the time. A card keeps its newest 500.
CREATE VIEW happened (board, card, kind, actor, "before", "after") AS
  SELECT board, card, kind, actor, "before", "after" FROM activity;
CREATE FUNCTION happened_noted() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  at timestamptz := clock_timestamp();
  ms text := lpad(to_hex(floor(extract(epoch FROM at) * 1000)::bigint), 12, '0');
BEGIN
  INSERT INTO activity (id, board, card, kind, actor, "before", "after", created) VALUES (
    left(ms, 8) || '-' || right(ms, 4) || '-7' || substr(gen_random_uuid()::text, 16),
    new.board, new.card, new.kind, new.actor, new."before", new."after",
    to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'));
  DELETE FROM activity WHERE rowid =
    (SELECT rowid FROM activity WHERE card = new.card ORDER BY created DESC, rowid DESC LIMIT 1 OFFSET 500);
  RETURN new;
END $$;
CREATE TRIGGER happened_noted INSTEAD OF INSERT ON happened FOR EACH ROW EXECUTE FUNCTION happened_noted();

CREATE FUNCTION card_made() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO happened VALUES (new.board, new.id, 'made', new.created_by, NULL, (SELECT title FROM columns WHERE id = new."column"));
  RETURN NULL;
END $$;
CREATE TRIGGER card_made AFTER INSERT ON cards FOR EACH ROW EXECUTE FUNCTION card_made();

CREATE FUNCTION card_moved() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO happened VALUES (new.board, new.id, 'moved', new.updated_by,
    (SELECT title FROM columns WHERE id = old."column"), (SELECT title FROM columns WHERE id = new."column"));
  RETURN NULL;
END $$;
CREATE TRIGGER card_moved AFTER UPDATE OF "column" ON cards FOR EACH ROW WHEN (new."column" <> old."column") EXECUTE FUNCTION card_moved();

CREATE FUNCTION card_renamed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO happened VALUES (new.board, new.id, 'renamed', new.updated_by, old.title, new.title);
  RETURN NULL;
END $$;
CREATE TRIGGER card_renamed AFTER UPDATE OF title ON cards FOR EACH ROW WHEN (new.title <> old.title) EXECUTE FUNCTION card_renamed();

-- Somebody who writes is one row, however often it is saved.
CREATE FUNCTION card_described() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT 1 FROM activity WHERE card = new.id AND kind = 'described' AND actor IS NOT DISTINCT FROM new.updated_by
      AND created > to_char((clock_timestamp() - interval '10 minutes') AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) THEN
    INSERT INTO happened VALUES (new.board, new.id, 'described', new.updated_by, NULL, NULL);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER card_described AFTER UPDATE OF description ON cards FOR EACH ROW WHEN (new.description IS DISTINCT FROM old.description)
  EXECUTE FUNCTION card_described();

CREATE FUNCTION card_dated() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO happened VALUES (new.board, new.id, 'dated', new.updated_by, old.due, new.due);
  RETURN NULL;
END $$;
CREATE TRIGGER card_dated AFTER UPDATE OF due ON cards FOR EACH ROW WHEN (new.due IS DISTINCT FROM old.due) EXECUTE FUNCTION card_dated();

CREATE FUNCTION card_put_away() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO happened VALUES (new.board, new.id, CASE WHEN new.archived IS NULL THEN 'restored' ELSE 'archived' END, new.updated_by, NULL, NULL);
  RETURN NULL;
END $$;
CREATE TRIGGER card_put_away AFTER UPDATE OF archived ON cards FOR EACH ROW WHEN ((new.archived IS NULL) <> (old.archived IS NULL))
  EXECUTE FUNCTION card_put_away();

CREATE FUNCTION item_ticked() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO happened VALUES (new.board, new.card, CASE WHEN new.done THEN 'checked' ELSE 'unchecked' END, new.updated_by, NULL, new.title);
  RETURN NULL;
END $$;
CREATE TRIGGER item_ticked AFTER UPDATE OF done ON checklist_items FOR EACH ROW WHEN (new.done <> old.done) EXECUTE FUNCTION item_ticked();

CREATE FUNCTION card_changed_board() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE checklist_items SET board = new.board WHERE card = new.id;
  UPDATE comments SET board = new.board WHERE card = new.id;
  UPDATE activity SET board = new.board WHERE card = new.id;
  DELETE FROM cards__labels WHERE record = new.id;
  RETURN NULL;
END $$;
CREATE TRIGGER card_changed_board AFTER UPDATE OF board ON cards FOR EACH ROW WHEN (new.board <> old.board) EXECUTE FUNCTION card_changed_board();
