CREATE TABLE a (id int);
CREATE TABLE log (id int, at text);
CREATE RULE r AS ON INSERT TO a DO ALSO (
	INSERT INTO log VALUES (new.id, 'one;');
	INSERT INTO log VALUES (new.id, 'two)')
);
INSERT INTO a VALUES (1);
