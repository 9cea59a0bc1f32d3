-- grant: give a lock to several waiters in one statement, each with a token of its own; a row for each
-- with its nonce, its token, its address and its session's beat, which an older copy of the database has not.
-- None: the lock has been taken, or its waiters or holders are not those of the decision: look, and decide
-- again.
-- $1 name  $2 queue_version as seen  $3 token as seen  $4 token of the first  $5 of the last
-- $6 their tickets, then their nonces, with commas between them  $7 served from now on: up to this ticket
-- $8 not 0: others still wait; 2: one of them with a priority
UPDATE dblock_lock AS l
  LEFT JOIN (SELECT a.ticket
               FROM dblock_queue a JOIN dblock_session b ON b.id = a.session
              WHERE a.name = $1 AND FIND_IN_SET(a.ticket, $6) AND a.token IS NULL AND NOT b.dead
              LIMIT 9223372036854775807) AS v ON TRUE
  LEFT JOIN dblock_queue AS w ON w.name = $1 AND w.ticket = v.ticket AND w.token IS NULL
  LEFT JOIN dblock_session AS s ON s.id = w.session
   SET l.mode = 1, l.token = $5, l.queue_version = $2 + 1,
       l.served = GREATEST(l.served, $7), l.queued = $8 <> 0, l.ranked = $8 = 2,
       l.acquired = CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED),
       w.token = $4 - 1 + FIND_IN_SET(w.ticket, $6),
       w.acquired = CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED),
       w.expires = CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED) + w.lease,
       w.keep_until = CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED) + w.at_least,
       w.host = s.host, w.pid = s.pid
 WHERE l.name = $1 AND l.queue_version = $2 AND l.token = $3
   AND l.session IS NULL AND l.expires IS NULL
-- answer
-- grant: answer: the new holders
SELECT w.nonce, w.token, w.bell, s.beat
  FROM dblock_queue w JOIN dblock_session s ON s.id = w.session
 WHERE w.name = $1 AND w.token BETWEEN $4 AND $5
