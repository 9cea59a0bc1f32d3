-- migrate_unlock: give the right to migrate back. There is nothing to ask for: BEGIN IMMEDIATE
-- lets one writer into the file.
SELECT 1 WHERE $1 = $1 AND $2 = $2
