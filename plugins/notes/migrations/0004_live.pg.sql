-- A record of `news` follows its note, whoever changes that and how. Who may read what lies in a notebook is kept in
-- `places` by store/places.cpp.

CREATE FUNCTION notes_news_begin() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO news (id, version, touched, author, place, everyone)
    VALUES (NEW.id, NEW.version, to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
      NEW.author, NEW.notebook, false);
  RETURN NULL;
END $$;
CREATE TRIGGER notes_news_begin AFTER INSERT ON notes FOR EACH ROW EXECUTE FUNCTION notes_news_begin();

CREATE FUNCTION notes_news_follow() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE news SET version = NEW.version, place = NEW.notebook,
      touched = to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
    WHERE id = NEW.id;
  RETURN NULL;
END $$;
CREATE TRIGGER notes_news_follow AFTER UPDATE OF version, notebook, pinned, deleted ON notes
  FOR EACH ROW EXECUTE FUNCTION notes_news_follow();

CREATE FUNCTION notes_news_end() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM news WHERE id = OLD.id;
  RETURN NULL;
END $$;
CREATE TRIGGER notes_news_end AFTER DELETE ON notes FOR EACH ROW EXECUTE FUNCTION notes_news_end();

CREATE FUNCTION note_tags_news() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE news SET touched = to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
    WHERE id = NEW.note;
  RETURN NULL;
END $$;
CREATE TRIGGER note_tags_news AFTER INSERT ON note_tags FOR EACH ROW EXECUTE FUNCTION note_tags_news();

CREATE FUNCTION note_tags_news_end() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE news SET touched = to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
    WHERE id = OLD.note;
  RETURN NULL;
END $$;
CREATE TRIGGER note_tags_news_end AFTER DELETE ON note_tags FOR EACH ROW EXECUTE FUNCTION note_tags_news_end();

CREATE FUNCTION attachments_news() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE news SET touched = to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
    WHERE id = NEW.note;
  RETURN NULL;
END $$;
CREATE TRIGGER attachments_news AFTER INSERT ON attachments FOR EACH ROW EXECUTE FUNCTION attachments_news();

CREATE FUNCTION attachments_news_end() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE news SET touched = to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
    WHERE id = OLD.note;
  RETURN NULL;
END $$;
CREATE TRIGGER attachments_news_end AFTER DELETE ON attachments FOR EACH ROW EXECUTE FUNCTION attachments_news_end();

CREATE FUNCTION shares_news() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO news__readers (record, target, position)
    SELECT NEW.note, substr(NEW.subject, 6), (SELECT count(*) FROM news__readers WHERE record = NEW.note)
    WHERE NEW.subject LIKE 'user:%' ON CONFLICT DO NOTHING;
  INSERT INTO news__groups (record, target, position)
    SELECT NEW.note, substr(NEW.subject, 7), (SELECT count(*) FROM news__groups WHERE record = NEW.note)
    WHERE NEW.subject LIKE 'group:%' ON CONFLICT DO NOTHING;
  UPDATE news SET everyone = everyone OR NEW.subject = 'all',
      touched = to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
    WHERE id = NEW.note;
  RETURN NULL;
END $$;
CREATE TRIGGER shares_news AFTER INSERT ON shares FOR EACH ROW
  WHEN (NEW.note IS NOT NULL) EXECUTE FUNCTION shares_news();

CREATE FUNCTION shares_news_end() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM news__readers WHERE record = OLD.note AND 'user:' || target = OLD.subject;
  DELETE FROM news__groups WHERE record = OLD.note AND 'group:' || target = OLD.subject;
  UPDATE news SET everyone = everyone AND OLD.subject <> 'all',
      touched = to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
    WHERE id = OLD.note;
  RETURN NULL;
END $$;
CREATE TRIGGER shares_news_end AFTER DELETE ON shares FOR EACH ROW
  WHEN (OLD.note IS NOT NULL) EXECUTE FUNCTION shares_news_end();

CREATE FUNCTION places_end() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM places WHERE id = OLD.id;
  RETURN NULL;
END $$;
CREATE TRIGGER places_end AFTER DELETE ON notebooks FOR EACH ROW EXECUTE FUNCTION places_end();
