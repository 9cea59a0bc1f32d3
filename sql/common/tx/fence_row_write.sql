-- fence_row_write: never sent, as row locks are enough here.
-- $1 name  $2 ticket  $3 nonce
UPDATE dblock_queue SET nonce = nonce WHERE name = $1 AND ticket = $2 AND nonce = $3
