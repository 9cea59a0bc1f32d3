-- migrate_holder: who has the right to migrate, if anybody. Nobody can be asked: BEGIN IMMEDIATE
-- lets one writer into the file.
SELECT '' WHERE $1 IS NULL AND $2 IS NULL
