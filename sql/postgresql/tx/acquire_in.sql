-- acquire_in: in the caller's transaction: take the lock, which was seen free: released, or its lease
-- ended, or its session dead, which is for good. No other row is read: under the caller's isolation MySQL
-- would lock it, and a session's row is the one that its heartbeat writes.
-- $1 name  $2 nonce  $3 own session  $4 host  $5 pid  $6 thread  $7 lease us or NULL
-- $8 minimum hold us or NULL  $9 value or NULL
-- As seen: $10 token  $11 nonce  $12 session or NULL
UPDATE dblock_lock l
   SET token = greatest(l.token + 1, c.now), nonce = $2::bigint,
       session = CASE WHEN $7::bigint IS NULL THEN $3::text END,
       host = $4::text, pid = $5::bigint, thread = $6::bigint, reentry = 1,
       lease = $7::bigint, expires = c.now + $7::bigint, keep_until = c.now + $8::bigint,
       acquired = c.now, value = $9::text
  FROM (SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS now) c
 WHERE l.name = $1::text AND l.token = $10::bigint AND l.nonce = $11::bigint
   AND l.mode = 0 AND NOT l.queued
   AND l.session IS NOT DISTINCT FROM $12::text
   AND (l.expires IS NULL OR l.expires <= c.now)
RETURNING l.token
