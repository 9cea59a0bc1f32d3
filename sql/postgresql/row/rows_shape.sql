-- rows_shape: a row lock locks its row and nothing else, whatever the indexes: there is nothing to
-- know.
-- $1 schema, $2 table
SELECT 0, NULL::text, NULL::text, NULL::text, NULL::text, NULL::text, NULL::text, 0, 0
 WHERE $1::text || $2::text IS NULL AND false
