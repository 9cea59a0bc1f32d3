-- migration_exists: 1 if there is a table (or view) of that name.
-- $1 database, '' = the connection's  $2 table
SELECT COUNT(*)
FROM information_schema.tables
WHERE table_schema = CASE WHEN $1 = '' THEN DATABASE() ELSE $1 END
  AND table_name = $2
  AND (@@lower_case_table_names <> 0 OR CAST(table_name AS BINARY) = CAST($2 AS BINARY))
