-- migrate_mine: nobody has the right to migrate here: a file that is not one transaction can be run
-- twice.
-- $1 schema  $2 what is migrated there
SELECT -1 WHERE $1 = $1 AND $2 = $2
