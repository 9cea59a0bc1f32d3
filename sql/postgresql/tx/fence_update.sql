-- fence_update: as fence_share, if the same transaction may release the lock: two that share the row
-- would wait for each other then.
-- $1 name  $2 token  $3 nonce
-- The row is read whoever holds it: so under REPEATABLE READ a row that has changed since is an error,
-- and does not look like one that does not exist. A row that is locked just now is skipped.
SELECT l.token, l.nonce FROM dblock_lock l
 WHERE l.name = $1::text AND $2::bigint IS NOT NULL AND $3::bigint IS NOT NULL -- compared by who asks
   FOR UPDATE SKIP LOCKED
