-- optimistic_column: what a column can hold: its declared type, which its values need not have, so each
-- value is checked by itself. Integers are as large as ours.
-- $1 schema or "", $2 table, $3 column
SELECT type, 1, NULL
  FROM pragma_table_xinfo($2, NULLIF($1, ''))
 WHERE name = $3 COLLATE NOCASE
