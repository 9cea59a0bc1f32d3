-- hand_over: end a grant and give the lock to the first in the queue, in one transaction; a row with the
-- new token, its nonce (0: nobody waits, the lock is free) and its address. None: that grant does not
-- hold it any more, or the queue has changed meanwhile (look, and try again).
-- $1 name  $2 token, as seen
-- $3 nonce of a grant that is given back; or NULL for whoever knows the token; or 0: it is not given
--    back, but free with a queue, or its lease has ended, or its holder's session is dead
-- Who is first, and when nobody gets it, is explained in postgresql/queue/hand_over.sql.
-- The queue is read first, and then the lock's row is written as it is by then: queue_version tells
-- whether they belong together. Those who have only joined meanwhile (65536 each) are behind the first
-- one, so they just make it true that others wait; but this reads again if it found nobody, or if anybody
-- may have left. (One statement for both takes four times as long on MariaDB, which plans each of its
-- parts again at each run. A join with the sessions would begin with those, if they are few, and sort all
-- waiters.)
SELECT COALESCE(w.nonce, 0), w.bell,
       IF(w.ticket IS NULL, v.ticket IS NOT NULL,
          EXISTS (SELECT 1 FROM dblock_queue a
                   WHERE a.name = $1 AND a.ticket > w.ticket AND a.token IS NULL AND a.upgrades IS NULL)),
       x.queue_version, w.ticket, w.session, s.host, s.pid, w.thread, w.lease, w.at_least, w.value,
       IF($3 = 0, EXISTS (SELECT 1 FROM dblock_queue h WHERE h.name = $1 AND h.token IS NOT NULL), 0)
  FROM dblock_lock x
  LEFT JOIN dblock_queue v
         ON v.name = $1
        AND v.ticket = COALESCE((SELECT a.ticket FROM dblock_queue a
                                  WHERE a.name = $1 AND a.ticket > x.served
                                    AND a.token IS NULL AND a.upgrades IS NULL
                                    AND (SELECT NOT b.dead AND b.expires > CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED)
                                           FROM dblock_session b WHERE b.id = a.session)
                                  ORDER BY a.ticket LIMIT 1),
                                (SELECT a.ticket FROM dblock_queue a
                                  WHERE a.name = $1 AND a.ticket > x.served
                                    AND a.token IS NULL AND a.upgrades IS NULL
                                    AND (SELECT NOT b.dead FROM dblock_session b WHERE b.id = a.session)
                                  ORDER BY a.ticket LIMIT 1))
  LEFT JOIN dblock_queue w ON w.name = $1 AND w.ticket = v.ticket AND w.mode = 0 AND w.names = 1
                           AND w.priority = 0 AND NOT x.ranked
  LEFT JOIN dblock_session s ON s.id = w.session
 WHERE x.name = $1 AND x.token = $2 AND (x.nonce <> 0 OR $3 = 0)
-- then
-- hand_over: then the lock's row; as read: $4 nonce  $5 address  $6 does anybody else wait  $7
-- queue_version
-- $8 ticket  $9 session  $10 host  $11 pid  $12 thread  $13 lease  $14 minimum hold  $15 value
-- $16 do rows of dblock_queue hold it
-- Assignments run from left to right and see new values. The token comes back through LAST_INSERT_ID.
UPDATE dblock_lock AS l
   SET l.token = LAST_INSERT_ID(IF($8 IS NULL, l.token, GREATEST(l.token + 1, CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED)))),
       l.nonce = $4,
       l.session = IF($13 IS NULL, $9, NULL),
       l.host = COALESCE($10, l.host),
       l.pid = COALESCE($11, l.pid),
       l.thread = COALESCE($12, l.thread),
       l.reentry = IF($8 IS NULL, 0, 1),
       l.lease = $13,
       l.expires = CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED) + $13,
       l.keep_until = CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED) + $14,
       l.acquired = IF($8 IS NULL, l.acquired, CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED)),
       l.released = IF($8 IS NULL, CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED), l.released),
       l.value = $15,
       l.served = COALESCE($8, l.served),
       l.queued = ($6 OR l.queue_version <> $7),
       l.mode = 0
 WHERE l.name = $1 AND l.token = $2
   AND (l.queue_version = $7 OR ($8 IS NOT NULL AND l.queue_version % 65536 = $7 % 65536))
   AND ((l.nonce <> 0 AND ($3 IS NULL OR l.nonce = $3)
         AND (l.session IS NOT NULL OR l.expires > CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED))
         AND COALESCE(l.keep_until <= CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED), TRUE))
        OR ((l.queued OR l.mode <> 0) AND NOT $16 AND $3 = 0
            AND ((l.session IS NULL AND l.expires IS NULL)
                 OR l.expires <= CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED)
                 OR EXISTS (SELECT 1 FROM dblock_session d WHERE d.id = l.session AND d.dead))))
