-- downgrade: let the grant in the lock's own row go on in a weaker mode, in a row of dblock_queue that
-- exists already; a row with its token. None: that grant does not hold the lock.
-- $1 name  $2 token  $3 nonce  $4 nonce of that row
UPDATE dblock_lock AS l
  JOIN dblock_queue AS w ON w.name = l.name AND w.nonce = $4 AND w.token IS NULL
   SET l.session = NULL, l.nonce = 0, l.reentry = 0, l.value = NULL, l.keep_until = NULL,
       l.lease = NULL, l.expires = NULL, l.mode = 1, l.queue_version = l.queue_version + 1,
       l.released = CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED),
       w.token = $2, w.acquired = CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED), w.host = l.host, w.pid = l.pid,
       w.expires = CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED) + w.lease
 WHERE l.name = $1 AND l.token = $2 AND l.nonce = $3
   AND (l.session IS NOT NULL OR l.expires > CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED))
-- answer
-- downgrade: answer: the token
SELECT w.token FROM dblock_queue w WHERE w.name = $1 AND w.nonce = $4 AND w.token = $2
