-- rows_shape: no rows: a row lock locks its row alone, or the whole file, whatever the indexes.
-- $1 schema, $2 table
SELECT 0, '', '', '', '', '', '', 0, 0 WHERE $1 = '' AND $2 = '' AND 1 = 0
