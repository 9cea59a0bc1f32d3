-- dequeue: leave the line. To be announced, and the lock looked at: it may have been granted.
-- $1 name  $2 nonce
DELETE FROM dblock_queue WHERE name = $1 AND nonce = $2
