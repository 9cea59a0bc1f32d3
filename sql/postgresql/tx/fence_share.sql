-- fence_share: in the caller's transaction: nobody can take the lock, or release it, until that ends.
-- Who takes it over has to write this row, and waits; heartbeats write another.
-- $1 name  $2 token  $3 nonce
-- The row as it is, whosever it is: under REPEATABLE READ one that has changed since is an error then,
-- and not a row that is not there. One that is locked just now is passed over.
SELECT l.token, l.nonce FROM dblock_lock l
 WHERE l.name = $1::text AND $2::bigint IS NOT NULL AND $3::bigint IS NOT NULL -- compared by who asks
   FOR SHARE SKIP LOCKED
