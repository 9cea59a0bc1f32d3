-- database_drop: a file is deleted by its name.
-- $1 its name
SELECT 0, 0, $1, $1, $1 LIMIT 0
