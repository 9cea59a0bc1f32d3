-- migration_elsewhere: if our schema has no table of that name, the schemas that have one; '' if none
-- has.
-- $1 schema  $2 table
SELECT coalesce(string_agg(n.nspname::text, ' or ' ORDER BY n.nspname), '')
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.relname = $2::text AND c.relkind IN ('r', 'p') AND n.nspname <> $1::text
