-- migration_list: the history of one set of files, in order.
-- $1 scope
SELECT version, name, state, checksum, coalesce(finished, 0) AS finished, applied_by
FROM dblock_migration
WHERE scope = $1
ORDER BY version
