CREATE TABLE first (id INT);
