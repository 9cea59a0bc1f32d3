-- release_in: in the caller's transaction: free the lock if this grant holds it; it stays taken until its
-- minimum hold is over. The queue is not looked at: whoever finds a free lock with a queue advances the
-- queue first, and so does the client after the commit. The answer: 2 if somebody may wait, else 1.
-- $1 name  $2 token  $3 nonce
UPDATE dblock_lock l
   SET session = NULL, nonce = 0, reentry = 0, value = NULL, keep_until = NULL, released = c.now,
       lease = CASE WHEN l.keep_until > c.now THEN l.keep_until - c.now END,
       expires = CASE WHEN l.keep_until > c.now THEN l.keep_until END
  FROM (SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS now) c
 WHERE l.name = $1::text AND l.token = $2::bigint AND l.nonce = $3::bigint
RETURNING 1 + l.queued::int
