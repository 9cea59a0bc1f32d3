-- migration_claim: claim one file, before it is run. No row changed: somebody has claimed it already.
-- $1 scope  $2 version  $3 name  $4 kind  $5 state  $6 checksum  $7 statements  $8 of them done
-- $9 by whom  $10 with which tool  $11 checksum of the tokens
INSERT INTO dblock_migration
	(scope, version, name, kind, state, seq, checksum, steps, step_begun, step_done, started,
	finished, applied_by, tool, token_checksum)
VALUES ($1, $2, $3, $4, $5,
	(SELECT coalesce(max(m.seq), 0) + 1 FROM dblock_migration AS m WHERE m.scope = $1),
	$6, $7, $8, $8, $wall,
	CASE WHEN $5 = 'applied' THEN $wall END, $9, $10, $11)
ON CONFLICT (scope, version) DO NOTHING
