-- What the file before has set is not set any more.
CREATE TABLE unqualified (id int PRIMARY KEY, at timestamptz DEFAULT '2020-01-02 03:04:05');
INSERT INTO unqualified (id) VALUES (1);
