-- fence_update: as fence_share, if the same transaction may release the lock: two that share the row
-- would wait for each other then.
-- $1 name  $2 token  $3 nonce  $4 NULL
-- A locking read sees the newest row, whatever the isolation; by its key it locks no other row. A row
-- that is locked just now is skipped.
SELECT token, nonce FROM dblock_lock WHERE name = $1 AND token = $2 AND nonce = $3 AND $4 IS NULL
   FOR UPDATE SKIP LOCKED
