-- schema_text: what makes the tables, indexes, views and triggers that are there, in an order that does not
-- depend on how they came: each with the table that it is of. A virtual table makes its own shadow tables.
SELECT m.tbl_name, m.sql
FROM sqlite_master AS m
WHERE m.sql IS NOT NULL AND m.name NOT LIKE 'sqlite\_%' ESCAPE '\'
  AND NOT EXISTS (SELECT 1 FROM pragma_table_list AS l WHERE l.name = m.tbl_name AND l.type = 'shadow')
ORDER BY CASE m.type WHEN 'table' THEN 0 WHEN 'index' THEN 1 WHEN 'view' THEN 2 ELSE 3 END, m.name
