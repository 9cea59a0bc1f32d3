-- dequeue: leave the line. To be announced, and the lock looked at: it may have been granted.
-- $1 name  $2 nonce
-- Nobody waits until it is on the disk: see announce.
DELETE FROM dblock_queue
 WHERE name = $1::text AND nonce = $2::bigint AND set_config('synchronous_commit', 'off', true) = 'off'
