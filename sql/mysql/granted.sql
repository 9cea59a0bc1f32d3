-- granted: what waits of our own session have been granted.
-- $1 own session
SELECT w.nonce, l.token
  FROM dblock_waiter w
  JOIN dblock_lock l ON l.name = w.name AND l.nonce = w.nonce
 WHERE w.session = $1
