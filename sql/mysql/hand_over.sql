-- hand_over: end a grant and give the lock to who is first in line, in one; a row with the new token,
-- its nonce (0: nobody waits, the lock is free) and where to ring. None: that grant does not hold it
-- any more, or the line has changed meanwhile (look, and try again).
-- $1 name  $2 token, as seen
-- $3 nonce of a grant that is given back; or NULL for whoever knows the token; or 0: nobody gives it
--    back, but it is free with a line, or its lease has ended, or its holder's session is dead
-- First is the smallest ticket above the one that was served last, of a session that is not dead; one
-- that looks expired is passed over for one that does not. If that one wants anything but to have it
-- alone, nobody gets it here: the lock is free then, with a line, and `grant` goes on. Nor does anybody
-- where rows of dblock_queue hold it.
-- The line is read in the statement's snapshot, but the lock's row as it is when we get to write it:
-- queue_version tells whether they belong together. (LIMIT 1: a table that is written cannot be read
-- beside it, but for a result that is worked out first.)
UPDATE dblock_lock AS l
  JOIN (SELECT x.queue_version,
               COALESCE((SELECT a.ticket
                           FROM dblock_queue a JOIN dblock_session b ON b.id = a.session
                          WHERE a.name = $1 AND a.ticket > x.served AND NOT b.dead
                            AND a.token IS NULL AND a.upgrades IS NULL
                            AND b.expires > CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED)
                          ORDER BY a.ticket LIMIT 1),
                        (SELECT a.ticket
                           FROM dblock_queue a JOIN dblock_session b ON b.id = a.session
                          WHERE a.name = $1 AND a.ticket > x.served AND NOT b.dead
                            AND a.token IS NULL AND a.upgrades IS NULL
                          ORDER BY a.ticket LIMIT 1)) AS ticket,
               (SELECT MAX(a.ticket) FROM dblock_queue a
                 WHERE a.name = $1 AND a.token IS NULL AND a.upgrades IS NULL) AS last,
               EXISTS (SELECT 1 FROM dblock_queue h
                        WHERE h.name = $1 AND h.token IS NOT NULL) AS by_rows
          FROM dblock_lock x
         WHERE x.name = $1
         LIMIT 1) AS v
  LEFT JOIN dblock_queue AS w ON w.name = $1 AND w.ticket = v.ticket AND w.mode = 0 AND w.names = 1
  LEFT JOIN dblock_session AS s ON s.id = w.session
   SET l.token = IF(w.ticket IS NULL, l.token, GREATEST(l.token + 1, CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED))),
       l.nonce = COALESCE(w.nonce, 0),
       l.session = IF(w.lease IS NULL, w.session, NULL),
       l.host = COALESCE(s.host, l.host),
       l.pid = COALESCE(s.pid, l.pid),
       l.thread = COALESCE(w.thread, l.thread),
       l.reentry = IF(w.ticket IS NULL, 0, 1),
       l.lease = w.lease,
       l.expires = CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED) + w.lease,
       l.keep_until = CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED) + w.at_least,
       l.acquired = IF(w.ticket IS NULL, l.acquired, CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED)),
       l.released = IF(w.ticket IS NULL, CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED), l.released),
       l.value = w.value,
       l.served = COALESCE(w.ticket, l.served),
       l.queued = IF(w.ticket IS NULL, v.ticket IS NOT NULL, v.last > v.ticket),
       l.mode = 0
 WHERE l.name = $1 AND l.token = $2 AND l.queue_version = v.queue_version
   AND ((l.nonce <> 0 AND ($3 IS NULL OR l.nonce = $3)
         AND (l.session IS NOT NULL OR l.expires > CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED))
         AND COALESCE(l.keep_until <= CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED), TRUE))
        OR ((l.queued OR l.mode <> 0) AND NOT v.by_rows AND $3 = 0
            AND ((l.session IS NULL AND l.expires IS NULL)
                 OR l.expires <= CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED)
                 OR EXISTS (SELECT 1 FROM dblock_session d WHERE d.id = l.session AND d.dead))))
-- answer
-- hand_over: who has it now
SELECT l.token, l.nonce, w.bell, l.queued
  FROM dblock_lock l LEFT JOIN dblock_queue w ON w.name = l.name AND w.nonce = l.nonce
 WHERE l.name = $1
