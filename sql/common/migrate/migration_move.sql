-- migration_move: change the row of one file if it is as it was seen; if it is not, no row is changed.
-- $1 scope  $2 version  $3 state  $4 kind  $5 checksum  $6 statements  $7 of them begun
-- $8 and done  $9 sum of those done  $10 error  $11 by whom
-- as seen: $12 state  $13 begun  $14 done  $15 by whom
-- $16 checksum of the tokens
UPDATE dblock_migration
SET started = CASE WHEN applied_by = $11 THEN started ELSE $wall END,
    finished = CASE WHEN $3 <> 'applied' THEN NULL WHEN state = 'applied' THEN finished
	ELSE $wall END,
    state = $3,
    kind = $4,
    checksum = $5,
    token_checksum = $16,
    steps = $6,
    step_begun = $7,
    step_done = $8,
    prefix_sum = $9,
    error = $10,
    applied_by = $11
WHERE scope = $1 AND version = $2 AND state = $12 AND step_begun = $13 AND step_done = $14
  AND applied_by = $15
