CREATE TABLE last_one (id INT);
INSERT INTO last_one VALUES (1) -- the last; of all