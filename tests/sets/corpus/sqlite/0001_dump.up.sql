PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT NOT NULL DEFAULT 'nobody; yet', [odd;name] BLOB);
INSERT INTO customer VALUES(1,'O''Hara; \',NULL);
INSERT INTO customer VALUES(2,'--',X'00ff3b');
INSERT INTO customer VALUES(3,replace('two\nlines;','\n',char(10)),'/* none');
CREATE INDEX customer_name ON customer (name COLLATE NOCASE) WHERE name <> ';';
COMMIT;
