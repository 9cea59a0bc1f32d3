-- migration_guard: fail if the row of one file is not as it was seen: so a script of `plan --sql` that
-- goes on from that state stops if it is run twice. No state has the name that this writes.
-- $1 scope  $2 version  as seen: $3 state  $4 begun  $5 done  $6 by whom
INSERT INTO dblock_migration
	(scope, version, name, kind, state, seq, checksum, token_checksum, steps, step_begun, step_done,
	started, applied_by, tool)
SELECT $1, $2, 'it is not as it was when this script was made', 'sql', 'not so', 0, '', '', 0, 0, 0,
	0, '', ''
FROM (SELECT 1 AS one) AS d
WHERE NOT EXISTS (SELECT 1 FROM dblock_migration AS m
	WHERE m.scope = $1 AND m.version = $2 AND m.state = $3 AND m.step_begun = $4
	  AND m.step_done = $5 AND m.applied_by = $6)
