-- release: free the lock if this grant holds it; it stays taken until its minimum hold is over. Nothing
-- is done if others wait in the queue (hand_over is for that), but for a minimum hold, which ends by
-- itself.
-- The commit of a session's grant is not waited for: if a crash loses it, the client releases it again
-- (src/lock/watch/reconcile.c), or its session ends as well. A lease would outlive the session, and a
-- caller that knows only the token is no client of ours.
-- $1 name  $2 token  $3 nonce, or NULL for whoever knows the token

UPDATE dblock_lock l
   SET session = CASE WHEN l.session IS NULL OR l.keep_until > c.now OR $3::bigint IS NULL THEN NULL
                      ELSE nullif(set_config('synchronous_commit', 'off', true), 'off') END,
       nonce = 0, reentry = 0, value = NULL, keep_until = NULL, released = c.now,
       lease = CASE WHEN l.keep_until > c.now THEN l.keep_until - c.now END,
       expires = CASE WHEN l.keep_until > c.now THEN l.keep_until END
  FROM (SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS now) c
 WHERE l.name = $1::text AND l.token = $2::bigint AND l.nonce <> 0
   AND ($3::bigint IS NULL OR l.nonce = $3::bigint)
   AND (l.session IS NOT NULL OR l.expires > c.now)
   AND (NOT l.queued OR l.keep_until > c.now)
