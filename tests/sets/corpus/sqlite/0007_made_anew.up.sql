-- The way that SQLite's pages show to change a table.
PRAGMA foreign_keys = OFF;
BEGIN;
CREATE TABLE item (id INTEGER PRIMARY KEY, customer INT REFERENCES customer (id) ON DELETE CASCADE, n INT);
INSERT INTO item VALUES (1, 1, 5), (2, 2, 6);
CREATE TABLE new_customer (id INTEGER PRIMARY KEY, name TEXT NOT NULL CHECK (length(name) > 0), "odd;name" BLOB);
INSERT INTO new_customer SELECT * FROM customer;
DROP TABLE customer;
ALTER TABLE new_customer RENAME TO customer;
CREATE INDEX customer_name ON customer (name COLLATE NOCASE) WHERE name <> ';';
COMMIT;
PRAGMA foreign_keys = ON;
