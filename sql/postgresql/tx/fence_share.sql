-- fence_share: in the caller's transaction: nobody can take the lock, or release it, until that ends: a
-- takeover has to write this row, and waits; heartbeats write another row.
-- $1 name  $2 token  $3 nonce
-- The row is read whoever holds it: so under REPEATABLE READ a row that has changed since is an error,
-- and does not look like one that does not exist. A row that is locked just now is skipped.
SELECT l.token, l.nonce FROM dblock_lock l
 WHERE l.name = $1::text AND $2::bigint IS NOT NULL AND $3::bigint IS NOT NULL -- compared by who asks
   FOR SHARE SKIP LOCKED
