-- The host keeps the words of notes now (tables.json, searchable), those in the trash too.

DROP TRIGGER notes_search_insert;
DROP TRIGGER notes_search_update;
DROP TRIGGER notes_search_delete;
DROP TABLE note_search;
DROP VIEW notes_searched;
