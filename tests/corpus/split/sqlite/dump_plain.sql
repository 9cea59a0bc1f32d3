PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE account(id INTEGER PRIMARY KEY, name TEXT, note TEXT DEFAULT 'a;b');
INSERT INTO account VALUES(1,'O''Hara',NULL);
INSERT INTO account VALUES(2,replace('two\nlines;','\n',char(10)),X'3b27');
CREATE TRIGGER t AFTER INSERT ON account BEGIN
UPDATE account SET note = 'x;' WHERE id = new.id;
END;
CREATE VIEW v AS SELECT name FROM account;
COMMIT;
