-- tx_lock: in the caller's transaction, and until its end, have the lock, which was seen free (see
-- acquire_in). Its row stays locked, but names no holder: when others can read it, there is none any
-- more. Only the token is left.
-- $1 name
-- As seen: $2 token  $3 nonce  $4 session or NULL
UPDATE dblock_lock
   SET token = max(token + 1, $wall), nonce = 0, session = NULL, reentry = 0, lease = NULL,
       expires = NULL, keep_until = NULL, acquired = $wall, released = $wall, value = NULL,
       mode = 0, queued = 0
 WHERE name = $1 AND token = $2 AND nonce = $3
   AND ((mode = 0 AND NOT queued) OR NOT EXISTS (SELECT 1 FROM dblock_queue q
                                               WHERE q.name = $1
                                                 AND (q.ticket > dblock_lock.served OR q.token IS NOT NULL
                                                      OR q.upgrades IS NOT NULL)))
   AND session IS $4
   AND (expires IS NULL OR (expires <= $boot AND clock = $clock))
RETURNING token
