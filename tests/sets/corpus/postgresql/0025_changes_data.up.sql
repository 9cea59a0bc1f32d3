BEGIN;
WITH moved AS (
  DELETE FROM customer WHERE id = 2 RETURNING *
)
INSERT INTO person SELECT name || ';', 'happy' FROM moved;
UPDATE customer SET note = regexp_replace(name, '[;'']+', E'\\1;', 'g') WHERE note IS NULL;
INSERT INTO customer (name) VALUES ('x') ON CONFLICT (id) DO UPDATE SET name = EXCLUDED.name || ';';
SET LOCAL work_mem = '8MB';
LOCK TABLE customer IN SHARE ROW EXCLUSIVE MODE;
DELETE FROM customer c USING person p WHERE c.name = p.name;
PREPARE p(int) AS SELECT $1; EXECUTE p(1); DEALLOCATE p;
COMMIT;
