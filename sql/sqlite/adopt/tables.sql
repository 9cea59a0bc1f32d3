-- tables: each table, and its columns. Of a virtual one nobody knows those without its module.
-- $1 schema: none here
SELECT m.name, CASE WHEN m.sql LIKE 'CREATE VIRTUAL%' THEN ''
  ELSE coalesce((SELECT group_concat(p.name) FROM pragma_table_info(m.name) p), '') END
FROM sqlite_master m
WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite\_%' ESCAPE '\' AND $1 = ''
ORDER BY m.name
