-- migration_claim: claim one file, before it is run. No row changed: somebody has it already;
-- IGNORE makes that no error.
-- $1 scope  $2 version  $3 name  $4 checksum  $5 statements  $6 by whom
INSERT IGNORE INTO dblock_migration
	(scope, version, name, state, checksum, steps, started, applied_by)
VALUES ($1, $2, $3, 'running', $4, $5,
	CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED), $6)
