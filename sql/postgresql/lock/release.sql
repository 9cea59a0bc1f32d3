-- release: free the lock if this grant holds it; until its minimum hold is over it stays taken. Nothing
-- is done where others wait in line (then hand_over), but for a minimum hold, which ends by itself.
-- Nobody waits until it is on the disk, if it is a session's: should a crash forget it, its client
-- releases it once more (src/lock/watch/reconcile.c), or has ended as well. A lease would outlive that, and
-- who knows the token alone is somebody else.
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
