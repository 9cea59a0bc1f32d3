-- fence_share: in the caller's transaction: nobody can take the lock, or release it, until that ends: a
-- takeover has to write this row, and waits; heartbeats write another row.
-- $1 name  $2 token  $3 nonce  $4 NULL
-- There are no row locks: a write that changes nothing locks the file, if BEGIN IMMEDIATE has not.
UPDATE dblock_lock SET token = token WHERE name = $1 AND token = $2 AND nonce = $3 AND $4 IS NULL
RETURNING token, nonce
