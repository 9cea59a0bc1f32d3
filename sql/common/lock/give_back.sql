-- give_back: free what an acquire was granted whose answer was lost.
-- $1 name  $2 its nonce
UPDATE dblock_lock
   SET session = NULL, nonce = 0, reentry = 0, value = NULL, keep_until = NULL, lease = NULL,
       expires = NULL, released = $wall
 WHERE name = $1 AND nonce = $2
