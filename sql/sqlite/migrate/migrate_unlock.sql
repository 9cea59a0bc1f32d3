-- migrate_unlock: nothing to give back, as BEGIN IMMEDIATE admits one writer to the file.
SELECT 1 WHERE $1 = $1 AND $2 = $2
