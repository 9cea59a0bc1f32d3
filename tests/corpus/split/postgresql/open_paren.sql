SELECT (1);
CREATE TABLE a (id int, b int CHECK (b > 0);
CREATE TABLE b (id int);
