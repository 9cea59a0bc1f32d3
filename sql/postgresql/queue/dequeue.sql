-- dequeue: leave the queue. announce is due, and a look at the lock, which may have been granted.
-- $1 name  $2 nonce
-- The commit is not waited for: see announce.
DELETE FROM dblock_queue
 WHERE name = $1::text AND nonce = $2::bigint AND set_config('synchronous_commit', 'off', true) = 'off'
