CREATE TABLE c (k int, t text);
COPY c (t) FROM stdin WITH (FORMAT csv, NULL ';');  
1;'; DROP TABLE c; --
2;$$
  \.
.
\.
COPY c FROM STDIN;
\.
SELECT 1
