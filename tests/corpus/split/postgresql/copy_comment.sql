CREATE TABLE c (k int, t text);
COPY c FROM STDIN; -- as psql
1	a
\.
