-- migration_elsewhere: no rows, as a file has no schemas.
-- $1 schema: none here  $2 table
SELECT '' AS place WHERE $1 <> $1 AND $2 <> $2
