-- Notes are their author's, and of those they are shared with. What was everybody's stays so: notebooks have no owner
-- then, and everybody writes in them and in what lies in none.

INSERT INTO shares (id, notebook, subject, level, created)
  SELECT lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-7' || substr(hex(randomblob(2)), 2) || '-8' ||
      substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6))), id, 'all', 'writer', created
  FROM notebooks WHERE parent IS NULL;

INSERT INTO shares (id, note, subject, level, created)
  SELECT lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-7' || substr(hex(randomblob(2)), 2) || '-8' ||
      substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6))), id, 'all', 'writer', created
  FROM notes WHERE notebook IS NULL;

-- How many notes there are differs from person to person now; notebooks alone keep counts.
DROP TRIGGER notes_counted;
DROP TRIGGER notes_recounted;
DROP TRIGGER notes_discounted;
DROP TABLE totals;

CREATE TRIGGER notes_counted AFTER INSERT ON notes BEGIN
  UPDATE notebooks SET notes = notes + 1 WHERE id = new.notebook AND new.deleted IS NULL;
END;

CREATE TRIGGER notes_recounted AFTER UPDATE OF notebook, deleted ON notes BEGIN
  UPDATE notebooks SET notes = notes - 1 WHERE id = old.notebook AND old.deleted IS NULL;
  UPDATE notebooks SET notes = notes + 1 WHERE id = new.notebook AND new.deleted IS NULL;
END;

CREATE TRIGGER notes_discounted AFTER DELETE ON notes BEGIN
  UPDATE notebooks SET notes = notes - 1 WHERE id = old.notebook AND old.deleted IS NULL;
END;
