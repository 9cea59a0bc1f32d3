-- migration_finish: the file was run: say so, and who ran it.
-- $1 scope  $2 version  $3 checksum  $4 by whom
UPDATE dblock_migration
SET state = 'applied',
    step_done = steps,
    checksum = $3,
    applied_by = $4,
    finished = $wall
WHERE scope = $1 AND version = $2
