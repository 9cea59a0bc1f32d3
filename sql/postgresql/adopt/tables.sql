-- tables: each table that a file may mean by its name alone, or that stands beside our own, and its columns.
-- Not what an extension has made. (Atlas and Drizzle have schemas of their own.)
-- $1 schema
SELECT c.relname::text, coalesce(string_agg(a.attname::text, ',' ORDER BY a.attnum), '')
FROM pg_catalog.pg_class c
  JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
  LEFT JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
WHERE c.relkind IN ('r', 'p') AND n.nspname NOT IN ('pg_catalog', 'information_schema')
  AND (n.nspname = ANY (current_schemas(false))
       OR n.nspname IN ($1::text, 'atlas_schema_revisions', 'drizzle'))
  AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend d
                  WHERE d.classid = 'pg_catalog.pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
GROUP BY c.oid, c.relname
ORDER BY c.relname
