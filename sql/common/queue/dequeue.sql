-- dequeue: leave the queue. announce is due, and a look at the lock, which may have been granted.
-- $1 name  $2 nonce
DELETE FROM dblock_queue WHERE name = $1 AND nonce = $2
