-- downgrade: let the grant in the lock's own row go on in a weaker mode, in a row of dblock_queue that
-- exists already; a row with its token. None: that grant does not hold the lock.
-- $1 name  $2 token  $3 nonce  $4 nonce of that row
WITH l AS (
  UPDATE dblock_lock
     SET session = NULL, nonce = 0, reentry = 0, value = NULL, keep_until = NULL, lease = NULL,
         expires = NULL, mode = 1, queue_version = queue_version + 1,
         released = (extract(epoch FROM clock_timestamp()) * 1000000)::bigint
   WHERE name = $1::text AND token = $2::bigint AND nonce = $3::bigint
     AND (session IS NOT NULL OR expires > (extract(epoch FROM clock_timestamp()) * 1000000)::bigint)
  RETURNING name, token, host, pid, acquired)
UPDATE dblock_queue w
   SET token = l.token, acquired = l.acquired, host = l.host, pid = l.pid,
       expires = (extract(epoch FROM clock_timestamp()) * 1000000)::bigint + w.lease
  FROM l
 WHERE w.name = l.name AND w.nonce = $4::bigint AND w.token IS NULL
RETURNING w.token
