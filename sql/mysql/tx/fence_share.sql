-- fence_share: in the caller's transaction: nobody can take the lock, or release it, until that ends: a
-- takeover has to write this row, and waits; heartbeats write another row.
-- $1 name  $2 token  $3 nonce  $4 NULL
-- A locking read sees the newest row, whatever the isolation; by its key it locks no other row. A row
-- that is locked just now is skipped.
SELECT token, nonce FROM dblock_lock WHERE name = $1 AND token = $2 AND nonce = $3 AND $4 IS NULL
   /*M! LOCK IN SHARE MODE SKIP LOCKED */ /*!80000 FOR SHARE SKIP LOCKED */ -- MariaDB, MySQL
