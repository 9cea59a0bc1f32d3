-- release_in: in the caller's transaction: free the lock if this grant holds it; it stays taken until its
-- minimum hold is over. The queue is not looked at: whoever finds a free lock with a queue advances the
-- queue first, and so does the client after the commit. The answer: 2 if somebody may wait, else 1.
-- $1 name  $2 token  $3 nonce
UPDATE dblock_lock
   SET session = NULL, nonce = 0, reentry = 0, value = NULL, keep_until = NULL, released = $wall,
       lease = CASE WHEN keep_until > $boot AND clock = $clock THEN keep_until - $boot END,
       expires = CASE WHEN keep_until > $boot AND clock = $clock THEN keep_until END
 WHERE name = $1 AND token = $2 AND nonce = $3
RETURNING 1 + queued
