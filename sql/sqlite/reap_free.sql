-- reap_free: free a lock whose holder's session was seen dead, or whose lease was seen to have ended.
-- $1 name  $2 token  $3 session or NULL  $4 expires or NULL, as seen
UPDATE dblock_lock
   SET session = NULL, nonce = 0, reentry = 0, value = NULL, keep_until = NULL, lease = NULL,
       expires = NULL, released = $wall
 WHERE name = $1 AND token = $2
   AND session IS $3 AND expires IS $4
