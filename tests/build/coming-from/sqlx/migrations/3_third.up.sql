CREATE TABLE third (id INT);
