CREATE TABLE a (id INT);
source other.sql
