CREATE TABLE a (
	id bigint PRIMARY KEY,
	name text NOT NULL DEFAULT ';'
);
CREATE INDEX a_name ON a (name); INSERT INTO a VALUES (1, 'x;y')  ;
INSERT INTO a VALUES (2, 'it''s; -- no comment');
