-- fence_update: as fence_share, if the same transaction may release the lock: two that share the row
-- would wait for each other then.
-- $1 name  $2 token  $3 nonce  $4 NULL
-- There are no row locks: a write that changes nothing locks the file, if BEGIN IMMEDIATE has not.
UPDATE dblock_lock SET token = token WHERE name = $1 AND token = $2 AND nonce = $3 AND $4 IS NULL
RETURNING token, nonce
