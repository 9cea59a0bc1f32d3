-- migration_list: the history of one set of files, in order of version.
-- $1 scope  $2 first version  $3 last version
SELECT version, seq, name, kind, state, steps, step_begun, step_done, checksum, started,
	coalesce(finished, 0) AS finished, applied_by, coalesce(prefix_sum, '') AS prefix_sum,
	coalesce(error, '') AS error, token_checksum
FROM dblock_migration
WHERE scope = $1 AND version BETWEEN $2 AND $3
ORDER BY version
