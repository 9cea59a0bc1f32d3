-- migrate_invalid: indexes that a failed CREATE INDEX CONCURRENTLY or REINDEX CONCURRENTLY has left: each
-- write pays for them, and no query uses them.
SELECT c.relname::text FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indexrelid
WHERE NOT i.indisvalid
ORDER BY c.relname
