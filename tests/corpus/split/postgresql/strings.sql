CREATE TABLE a (x text);
INSERT INTO a VALUES ('C:\');
INSERT INTO a VALUES ('\;'), (E'\';'), (e'\\'), (E'a''b\'c;');
INSERT INTO a VALUES (E'first'
	'second;');
INSERT INTO a VALUES ('first'
	'second\');
INSERT INTO a VALUES (U&'d\0061t;\+000061'), (U&'a!003bb;' UESCAPE '!'), (N'n;');
INSERT INTO a SELECT B'101'::text || X'1F'::text || ';';
CREATE TABLE nameE (typeE text DEFAULT '\');
CREATE TABLE U&"d;!0061" UESCAPE '!' ("a;""b" int, "it's" text);
