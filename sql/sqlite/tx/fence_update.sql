-- fence_update: as fence_share, for who is to release it in the same transaction: two who had it
-- shared would wait for each other then.
-- $1 name  $2 token  $3 nonce
-- There are no row locks: a write that changes nothing takes the file, if BEGIN IMMEDIATE has not.
UPDATE dblock_lock SET token = token WHERE name = $1 AND token = $2 AND nonce = $3
RETURNING token, nonce
