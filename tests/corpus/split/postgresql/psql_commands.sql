CREATE TABLE a (id int);
SELECT * FROM a \gx
