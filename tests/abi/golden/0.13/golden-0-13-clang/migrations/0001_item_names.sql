CREATE UNIQUE INDEX item_names ON items (name);
