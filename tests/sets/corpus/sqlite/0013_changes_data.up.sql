WITH RECURSIVE up(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM up WHERE n < 5)
INSERT INTO crlf SELECT n FROM up;
INSERT INTO customer (id, name) VALUES (1, 'x;') ON CONFLICT (id) DO UPDATE SET name = excluded.name || ';';
REPLACE INTO customer (id, name) VALUES (2, 'y');
UPDATE customer SET name = CASE WHEN id = 3 THEN 'case; end' ELSE name END WHERE id IN (SELECT id FROM crlf);
SAVEPOINT a;
DELETE FROM crlf WHERE id > 3;
RELEASE a;
EXPLAIN QUERY PLAN SELECT * FROM crlf;
