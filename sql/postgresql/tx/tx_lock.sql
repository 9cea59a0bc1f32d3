-- tx_lock: in the caller's transaction, and until its end, have the lock, which was seen free (see
-- acquire_in). Its row stays locked, but names no holder: when others can read it, there is none any
-- more. Only the token is left.
-- $1 name
-- As seen: $2 token  $3 nonce  $4 session or NULL
UPDATE dblock_lock l
   SET token = greatest(l.token + 1, c.now), nonce = 0, session = NULL, reentry = 0, lease = NULL,
       expires = NULL, keep_until = NULL, acquired = c.now, released = c.now, value = NULL
  FROM (SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS now) c
 WHERE l.name = $1::text AND l.token = $2::bigint AND l.nonce = $3::bigint
   AND l.mode = 0 AND NOT l.queued
   AND l.session IS NOT DISTINCT FROM $4::text
   AND (l.expires IS NULL OR l.expires <= c.now)
RETURNING l.token
