-- migrate_lock: the right to migrate is not needed: BEGIN IMMEDIATE admits one writer to the file. 1:
-- always.
SELECT 1 WHERE $1 = $1 AND $2 = $2
