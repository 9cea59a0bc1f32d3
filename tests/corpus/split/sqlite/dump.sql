PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE account(id INTEGER PRIMARY KEY, name TEXT, note TEXT DEFAULT 'a;b');
INSERT INTO account VALUES(1,'O''Hara',NULL);
INSERT INTO account VALUES(2,replace('two\nlines;','\n',char(10)),X'3b27');
CREATE TABLE sqlite_log(x);
DELETE FROM sqlite_sequence;
CREATE TRIGGER t AFTER INSERT ON account BEGIN
UPDATE account SET note = 'x;' WHERE id = new.id;
END;
CREATE VIEW v AS SELECT name FROM account;
CREATE INDEX i ON account(name);
COMMIT;
