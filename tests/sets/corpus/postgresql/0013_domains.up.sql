CREATE DOMAIN email AS text CHECK (VALUE ~ '^[^@;]+@[^@;]+$');
CREATE TYPE address AS (street text, town text);
CREATE TABLE contact (id int PRIMARY KEY, mail email, home address);
INSERT INTO contact VALUES (1, 'a@b', ROW('x; y', 'z')), (2, NULL, ('(', ')'));
