-- lease_end: free a lease that a waiter has seen unchanged for its whole length.
-- $1 name  $2 token  $3 nonce  $4 expires, as seen
UPDATE dblock_lock
   SET session = NULL, nonce = 0, reentry = 0, value = NULL, keep_until = NULL, lease = NULL,
       expires = NULL, released = $wall
 WHERE name = $1 AND token = $2 AND nonce = $3 AND expires = $4
