CREATE TABLE second (id INT);
