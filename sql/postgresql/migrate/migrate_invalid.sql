-- migrate_invalid: indexes that CREATE INDEX CONCURRENTLY or REINDEX CONCURRENTLY left behind when
-- it failed: they cost on each write, and serve nobody.
SELECT c.relname::text FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indexrelid
WHERE NOT i.indisvalid
ORDER BY c.relname
