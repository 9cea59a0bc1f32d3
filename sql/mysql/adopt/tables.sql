-- tables: each table in the connection's database, or where there is none in ours, and its columns.
-- $1 database, '' = the connection's
SELECT t.table_name, COALESCE(GROUP_CONCAT(c.column_name ORDER BY c.ordinal_position), '')
FROM information_schema.tables t
  LEFT JOIN information_schema.columns c
    ON c.table_schema = t.table_schema AND c.table_name = t.table_name
WHERE t.table_schema = COALESCE(DATABASE(), $1) AND t.table_type = 'BASE TABLE'
GROUP BY t.table_name
ORDER BY t.table_name
