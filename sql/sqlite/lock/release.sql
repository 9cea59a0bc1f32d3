-- release: free the lock if this grant holds it; it stays taken until its minimum hold is over. Nothing
-- is done if others wait in the queue (hand_over is for that), but for a minimum hold, which ends by
-- itself.
-- $1 name  $2 token  $3 nonce, or NULL for whoever knows the token

UPDATE dblock_lock
   SET session = NULL, nonce = 0, reentry = 0, value = NULL, keep_until = NULL, released = $wall,
       lease = CASE WHEN keep_until > $boot AND clock = $clock THEN keep_until - $boot END,
       expires = CASE WHEN keep_until > $boot AND clock = $clock THEN keep_until END
 WHERE name = $1 AND token = $2 AND nonce <> 0
   AND ($3 IS NULL OR nonce = $3)
   AND (session IS NOT NULL OR (expires IS NOT NULL AND (expires > $boot OR clock <> $clock)))
   AND (NOT queued OR (keep_until > $boot AND clock = $clock))
