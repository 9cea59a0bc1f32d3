-- migrate_mine: does this very connection have the right to migrate? There is nothing to have: a
-- file that is not one transaction can be run twice.
-- $1 schema  $2 what is migrated there
SELECT -1 WHERE $1 = $1 AND $2 = $2
