-- migration_delete: forget that a file was applied, if its row is as it was seen.
-- $1 scope  $2 version  as seen: $3 state  $4 begun  $5 done  $6 by whom
DELETE FROM dblock_migration
WHERE scope = $1 AND version = $2 AND state = $3 AND step_begun = $4 AND step_done = $5
  AND applied_by = $6
