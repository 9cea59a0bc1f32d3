-- history_prisma: a row for each try; one that was rolled back does not count. The checksum is the SHA-256
-- of migration.sql.
SELECT NULL AS version, migration_name AS code, NULL AS name,
  CASE WHEN finished_at IS NULL THEN 0 ELSE 1 END AS kind, checksum
FROM _prisma_migrations
WHERE rolled_back_at IS NULL
ORDER BY migration_name
