-- fence_update: as fence_share, for who is to release it in the same transaction: two who had it
-- shared would wait for each other then.
-- $1 name  $2 token  $3 nonce
-- A locking read sees the newest row, whatever the isolation; by its key it locks no other. One that is
-- locked just now is passed over.
SELECT token, nonce FROM dblock_lock WHERE name = $1 AND token = $2 AND nonce = $3
   FOR UPDATE SKIP LOCKED
