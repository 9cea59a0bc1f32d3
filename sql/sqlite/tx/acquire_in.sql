-- acquire_in: in the caller's transaction: take the lock, which was seen free: released, or its lease
-- ended, or its session dead, which is for good; and nobody is in its queue. (That can be asked here, as
-- the transaction is the one writer.)
-- $1 name  $2 nonce  $3 own session  $4 host  $5 pid  $6 thread  $7 lease us or NULL
-- $8 minimum hold us or NULL  $9 value or NULL
-- As seen: $10 token  $11 nonce  $12 session or NULL
UPDATE dblock_lock
   SET token = max(token + 1, $wall), nonce = $2,
       session = CASE WHEN $7 IS NULL THEN $3 END,
       host = $4, pid = $5, thread = $6, reentry = 1,
       lease = $7, expires = $boot + $7, keep_until = $boot + $8,
       acquired = $wall, value = $9, clock = $clock, mode = 0, queued = 0
 WHERE name = $1 AND token = $10 AND nonce = $11
   AND ((mode = 0 AND NOT queued) OR NOT EXISTS (SELECT 1 FROM dblock_queue q
                                               WHERE q.name = $1
                                                 AND (q.ticket > dblock_lock.served OR q.token IS NOT NULL
                                                      OR q.upgrades IS NOT NULL)))
   AND session IS $12
   AND (expires IS NULL OR (expires <= $boot AND clock = $clock))
RETURNING token
