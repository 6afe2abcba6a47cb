-- Attachments that are gone and whose claims are still to be released.

CREATE TABLE attachments_gone (id TEXT COLLATE "C" PRIMARY KEY);

CREATE FUNCTION attachments_let_go() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO attachments_gone (id) VALUES (OLD.id) ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
CREATE TRIGGER attachments_let_go AFTER DELETE ON attachments FOR EACH ROW EXECUTE FUNCTION attachments_let_go();
