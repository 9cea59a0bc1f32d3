CREATE TABLE a (j jsonb, i int);
SELECT j->>'a', i*/* c; */2, @-- absolute;
	i, 5--3;
FROM a;
SELECT '[1]'::jsonb @> '1', 2 ! = 3 FROM a;
