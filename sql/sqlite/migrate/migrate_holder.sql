-- migrate_holder: who has the right to migrate: nobody knows, as BEGIN IMMEDIATE admits one writer to the
-- file.
SELECT '' WHERE $1 IS NULL AND $2 IS NULL
