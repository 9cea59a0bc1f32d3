-- optimistic_column: what a column can hold. The type it was given, which binds nobody: each value
-- is looked at by itself. Integers are as large as ours.
-- $1 schema or "", $2 table, $3 column
SELECT type, 1, NULL
  FROM pragma_table_xinfo($2, NULLIF($1, ''))
 WHERE name = $3 COLLATE NOCASE
