-- downgrade: let the grant in the lock's own row go on in a weaker mode, in a row of dblock_queue that
-- exists already; a row with its token. None: that grant does not hold the lock.
-- $1 name  $2 token  $3 nonce  $4 nonce of that row
UPDATE dblock_lock
   SET session = NULL, nonce = 0, reentry = 0, value = NULL, keep_until = NULL, lease = NULL,
       expires = NULL, mode = 1, queue_version = queue_version + 1, released = $wall
 WHERE name = $1 AND token = $2 AND nonce = $3
   AND (session IS NOT NULL OR expires > $boot OR clock <> $clock)
-- and
-- downgrade: and the other row
UPDATE dblock_queue AS w
   SET token = l.token, acquired = l.acquired, host = l.host, pid = l.pid, clock = $clock,
       expires = $boot + w.lease
  FROM dblock_lock l
 WHERE w.name = $1 AND w.nonce = $4 AND w.token IS NULL AND l.name = $1
RETURNING token
