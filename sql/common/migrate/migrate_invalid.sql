-- migrate_invalid: indexes that exist but are not valid: this database has none.
SELECT '' LIMIT 0
