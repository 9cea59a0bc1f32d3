-- migration_hold: lock the row of one file until the transaction ends, in a script of `plan --sql`.
-- $1 scope  $2 version
UPDATE dblock_migration SET seq = seq WHERE scope = $1 AND version = $2
