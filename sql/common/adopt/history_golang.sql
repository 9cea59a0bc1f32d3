-- history_golang: golang-migrate has one row: the last file it ran. All below it are applied, too; dirty: it
-- failed halfway, or is being run, also down to nothing (-1).
SELECT version, NULL AS code, NULL AS name, CASE WHEN dirty THEN 0 ELSE 2 END AS kind, NULL AS checksum
FROM schema_migrations
WHERE version >= 0 OR dirty
