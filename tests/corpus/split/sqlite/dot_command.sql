CREATE TABLE a (id INTEGER);
.mode csv
.import a.csv a
