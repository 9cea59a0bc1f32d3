CREATE TABLE a (x text);
INSERT INTO a VALUES (E'first' -- a string goes on
	-- here
	'second\';'); INSERT INTO a VALUES (E'\\' 
'\';');
INSERT INTO a SELECT E'first' || -- here is another one
	'second\';
