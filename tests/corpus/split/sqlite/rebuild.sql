-- no-transaction
PRAGMA foreign_keys = OFF;
CREATE TABLE parent (id INTEGER PRIMARY KEY, n TEXT);
CREATE TABLE new_parent (id INTEGER PRIMARY KEY, n TEXT NOT NULL DEFAULT '');
INSERT INTO new_parent SELECT id, coalesce(n, '') FROM parent;
DROP TABLE parent;
ALTER TABLE new_parent RENAME TO parent;
PRAGMA foreign_key_check;
PRAGMA main.foreign_keys = ON;
VACUUM;
