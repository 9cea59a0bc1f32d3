CREATE TABLE last_one (id int);
INSERT INTO last_one VALUES (1) -- the last; of all