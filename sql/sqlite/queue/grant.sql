-- grant: give a lock to several waiters in one statement, each with a token of its own; a row for each
-- with its nonce, its token, its address and its session's beat, which an older copy of the database has not.
-- None: the lock has been taken, or its waiters or holders are not those of the decision: look, and decide
-- again.
-- $1 name  $2 queue_version as seen  $3 token as seen  $4 token of the first  $5 of the last
-- $6 their tickets, then their nonces, with commas between them  $7 served from now on: up to this ticket
-- $8 not 0: others still wait; 2: one of them with a priority
UPDATE dblock_lock
   SET mode = 1, token = $5, queue_version = queue_version + 1,
       served = max(served, $7), queued = $8 <> 0, ranked = $8 = 2, acquired = $wall
 WHERE name = $1 AND queue_version = $2 AND token = $3
   AND session IS NULL AND expires IS NULL
-- and
-- grant: and their rows
UPDATE dblock_queue AS w
   SET token = $4 + (SELECT t.key FROM json_each('[' || $6 || ']') t WHERE t.value = w.ticket),
       acquired = $wall, expires = $boot + w.lease, keep_until = $boot + w.at_least,
       clock = $clock, host = s.host, pid = s.pid
  FROM dblock_session s
 WHERE w.name = $1 AND w.token IS NULL
   AND w.ticket IN (SELECT t.value FROM json_each('[' || $6 || ']') t)
   AND w.nonce IN (SELECT t.value FROM json_each('[' || $6 || ']') t)
   AND s.id = w.session AND NOT s.dead
RETURNING nonce, token, bell, (SELECT m.beat FROM dblock_session m WHERE m.id = session)
