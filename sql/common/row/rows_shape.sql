-- rows_shape: a row lock locks its row and nothing else, or the whole file, whatever the indexes: there is
-- nothing to know.
-- $1 schema, $2 table
SELECT 0, '', '', '', '', '', '', 0, 0 WHERE $1 = '' AND $2 = '' AND 1 = 0
