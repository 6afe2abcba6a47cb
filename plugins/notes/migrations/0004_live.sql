-- A record of `news` follows its note, whoever changes that and how. Who may read what lies in a notebook is kept in
-- `places` by store/places.cpp: triggers know no recursion.

INSERT INTO places (id, everyone) SELECT id, 1 FROM notebooks;

INSERT INTO news (id, version, touched, author, place, everyone)
  SELECT id, version, updated, author, notebook, notebook IS NULL FROM notes;

CREATE TRIGGER notes_news_begin AFTER INSERT ON notes BEGIN
  INSERT INTO news (id, version, touched, author, place, everyone)
    VALUES (new.id, new.version, strftime('%Y-%m-%dT%H:%M:%fZ', 'now'), new.author, new.notebook, 0);
END;

CREATE TRIGGER notes_news_follow AFTER UPDATE OF version, notebook, pinned, deleted ON notes BEGIN
  UPDATE news SET version = new.version, touched = strftime('%Y-%m-%dT%H:%M:%fZ', 'now'), place = new.notebook
    WHERE id = new.id;
END;

CREATE TRIGGER notes_news_end AFTER DELETE ON notes BEGIN
  DELETE FROM news WHERE id = old.id;
END;

CREATE TRIGGER note_tags_news AFTER INSERT ON note_tags BEGIN
  UPDATE news SET touched = strftime('%Y-%m-%dT%H:%M:%fZ', 'now') WHERE id = new.note;
END;

CREATE TRIGGER note_tags_news_end AFTER DELETE ON note_tags BEGIN
  UPDATE news SET touched = strftime('%Y-%m-%dT%H:%M:%fZ', 'now') WHERE id = old.note;
END;

CREATE TRIGGER attachments_news AFTER INSERT ON attachments BEGIN
  UPDATE news SET touched = strftime('%Y-%m-%dT%H:%M:%fZ', 'now') WHERE id = new.note;
END;

CREATE TRIGGER attachments_news_end AFTER DELETE ON attachments BEGIN
  UPDATE news SET touched = strftime('%Y-%m-%dT%H:%M:%fZ', 'now') WHERE id = old.note;
END;

CREATE TRIGGER shares_news AFTER INSERT ON shares WHEN new.note IS NOT NULL BEGIN
  INSERT OR IGNORE INTO news__readers (record, target, position)
    SELECT new.note, substr(new.subject, 6), (SELECT count(*) FROM news__readers WHERE record = new.note)
    WHERE new.subject LIKE 'user:%';
  INSERT OR IGNORE INTO news__groups (record, target, position)
    SELECT new.note, substr(new.subject, 7), (SELECT count(*) FROM news__groups WHERE record = new.note)
    WHERE new.subject LIKE 'group:%';
  UPDATE news SET everyone = (everyone OR new.subject = 'all'), touched = strftime('%Y-%m-%dT%H:%M:%fZ', 'now')
    WHERE id = new.note;
END;

CREATE TRIGGER shares_news_end AFTER DELETE ON shares WHEN old.note IS NOT NULL BEGIN
  DELETE FROM news__readers WHERE record = old.note AND 'user:' || target = old.subject;
  DELETE FROM news__groups WHERE record = old.note AND 'group:' || target = old.subject;
  UPDATE news SET everyone = (everyone AND old.subject <> 'all'), touched = strftime('%Y-%m-%dT%H:%M:%fZ', 'now')
    WHERE id = old.note;
END;

CREATE TRIGGER places_end AFTER DELETE ON notebooks BEGIN
  DELETE FROM places WHERE id = old.id;
END;
