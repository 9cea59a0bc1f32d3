-- rows_shape: a row lock is the file's, whatever the indexes: there is nothing to know.
-- $1 schema, $2 table
SELECT 0, NULL, NULL, NULL, NULL, NULL, NULL, 0, 0 WHERE $1 || $2 IS NULL AND 0
