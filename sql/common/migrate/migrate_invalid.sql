-- migrate_invalid: indexes that are there and not valid: not on this database.
SELECT '' LIMIT 0
