-- fence_write: never sent, as row locks are enough here.
-- $1 name  $2 token  $3 nonce
UPDATE dblock_lock SET nonce = nonce WHERE name = $1 AND token = $2 AND nonce = $3
