CREATE TABLE fourth (id INT);
