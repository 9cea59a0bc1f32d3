-- release_in: in the caller's transaction: free the lock if this grant holds it; it stays taken until its
-- minimum hold is over. The queue is not looked at: whoever finds a free lock with a queue advances the
-- queue first, and so does the client after the commit. The answer: 2 if somebody may wait, else 1.
-- $1 name  $2 token  $3 nonce
-- A row of another grant's must not stay locked, as an UPDATE leaves it that finds it changed. So it is
-- looked at first; and if it is taken over just then, the error has the lock on it undone.
UPDATE dblock_lock l
   SET nonce = CASE WHEN l.token = $2::bigint AND l.nonce = $3::bigint THEN 0
                    ELSE ('dblock: ' || l.name || ' has been taken over')::bigint END,
       session = NULL, reentry = 0, value = NULL, keep_until = NULL, released = c.now,
       lease = CASE WHEN l.keep_until > c.now THEN l.keep_until - c.now END,
       expires = CASE WHEN l.keep_until > c.now THEN l.keep_until END
  FROM (SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS now) c
 WHERE l.name = $1::text
   AND (SELECT o.token = $2::bigint AND o.nonce = $3::bigint
          FROM dblock_lock o WHERE o.name = $1::text)
RETURNING 1 + l.queued::int
