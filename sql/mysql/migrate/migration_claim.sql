-- migration_claim: claim one file, before it is run. No row changed: somebody has claimed it already;
-- with IGNORE that is no error.
-- $1 scope  $2 version  $3 name  $4 kind  $5 state  $6 checksum  $7 statements  $8 of them done
-- $9 by whom  $10 with which tool  $11 checksum of the tokens
INSERT IGNORE INTO dblock_migration
	(scope, version, name, kind, state, seq, checksum, steps, step_begun, step_done, started,
	finished, applied_by, tool, token_checksum)
SELECT $1, $2, $3, $4, $5,
	(SELECT coalesce(max(m.seq), 0) + 1 FROM dblock_migration AS m WHERE m.scope = $1),
	$6, $7, $8, $8, CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED),
	CASE WHEN $5 = 'applied' THEN CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED) END, $9, $10, $11
