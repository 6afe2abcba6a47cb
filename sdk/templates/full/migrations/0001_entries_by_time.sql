CREATE INDEX entries_by_time ON entries (created DESC, id DESC);
