-- What tables.json cannot say: the trash in its order, and counters. Those of 0003_sharing.sql at once, and no search
-- index: there are no notes of older versions on PostgreSQL.

CREATE INDEX notes_in_trash ON notes (deleted NULLS FIRST, id NULLS FIRST) WHERE deleted IS NOT NULL;

CREATE FUNCTION notes_counted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE notebooks SET notes = notes + 1 WHERE id = NEW.notebook AND NEW.deleted IS NULL;
  RETURN NULL;
END $$;
CREATE TRIGGER notes_counted AFTER INSERT ON notes FOR EACH ROW EXECUTE FUNCTION notes_counted();

CREATE FUNCTION notes_recounted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE notebooks SET notes = notes - 1 WHERE id = OLD.notebook AND OLD.deleted IS NULL;
  UPDATE notebooks SET notes = notes + 1 WHERE id = NEW.notebook AND NEW.deleted IS NULL;
  RETURN NULL;
END $$;
CREATE TRIGGER notes_recounted AFTER UPDATE OF notebook, deleted ON notes
  FOR EACH ROW EXECUTE FUNCTION notes_recounted();

CREATE FUNCTION notes_discounted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE notebooks SET notes = notes - 1 WHERE id = OLD.notebook AND OLD.deleted IS NULL;
  RETURN NULL;
END $$;
CREATE TRIGGER notes_discounted AFTER DELETE ON notes FOR EACH ROW EXECUTE FUNCTION notes_discounted();

-- note_tags repeats what lists of a tag are ordered by, so that they are read off one index.
CREATE FUNCTION note_tags_follow() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE note_tags SET deleted = NEW.deleted, pinned = NEW.pinned, updated = NEW.updated, title_key = NEW.title_key
    WHERE note = NEW.id;
  RETURN NULL;
END $$;
CREATE TRIGGER note_tags_follow AFTER UPDATE OF deleted, pinned, updated, title_key ON notes
  FOR EACH ROW EXECUTE FUNCTION note_tags_follow();

CREATE FUNCTION note_tags_counted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE tags SET notes = notes + 1 WHERE id = NEW.tag AND NEW.deleted IS NULL;
  RETURN NULL;
END $$;
CREATE TRIGGER note_tags_counted AFTER INSERT ON note_tags FOR EACH ROW EXECUTE FUNCTION note_tags_counted();

CREATE FUNCTION note_tags_recounted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE tags SET notes = notes - 1 WHERE id = OLD.tag AND OLD.deleted IS NULL;
  UPDATE tags SET notes = notes + 1 WHERE id = NEW.tag AND NEW.deleted IS NULL;
  RETURN NULL;
END $$;
CREATE TRIGGER note_tags_recounted AFTER UPDATE OF tag, deleted ON note_tags
  FOR EACH ROW EXECUTE FUNCTION note_tags_recounted();

CREATE FUNCTION note_tags_discounted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE tags SET notes = notes - 1 WHERE id = OLD.tag AND OLD.deleted IS NULL;
  DELETE FROM tags WHERE id = OLD.tag AND NOT EXISTS (SELECT 1 FROM note_tags WHERE tag = OLD.tag);
  RETURN NULL;
END $$;
CREATE TRIGGER note_tags_discounted AFTER DELETE ON note_tags FOR EACH ROW EXECUTE FUNCTION note_tags_discounted();
