-- migration_dump: the row of a file that is applied, in a dump of the schema: there it was never run.
-- $1 scope  $2 version  $3 name  $4 its place in the order  $5 checksum  $6 checksum of the tokens
-- $7 statements
INSERT INTO dblock_migration (scope, version, name, kind, state, seq, checksum, token_checksum, steps,
	step_begun, step_done, started, finished, applied_by, tool)
VALUES ($1, $2, $3, 'baseline', 'applied', $4, $5, $6, $7, $7, $7,
	$wall, $wall, 'a dump', 'dblock')
