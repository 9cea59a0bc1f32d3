-- hand_over: end a grant and give the lock to the first in the queue, in one statement; a row with the
-- new token, its nonce (0: nobody waits, the lock is free) and its address. None: that grant does not
-- hold it any more, or the queue has changed meanwhile (look, and try again).
-- $1 name  $2 token, as seen
-- $3 nonce of a grant that is given back; or NULL for whoever knows the token; or 0: it is not given
--    back, but free with a queue, or its lease has ended, or its holder's session is dead
-- Who is first, and when nobody gets it, is explained in postgresql/queue/hand_over.sql.
UPDATE dblock_lock AS l
   SET token = CASE WHEN w.ticket IS NULL THEN l.token ELSE max(l.token + 1, $wall) END,
       nonce = coalesce(w.nonce, 0),
       session = CASE WHEN w.lease IS NULL THEN w.session END,
       clock = $clock,
       host = coalesce(s.host, l.host),
       pid = coalesce(s.pid, l.pid),
       thread = coalesce(w.thread, l.thread),
       reentry = w.ticket IS NOT NULL,
       lease = w.lease,
       expires = $boot + w.lease,
       keep_until = $boot + w.at_least,
       acquired = CASE WHEN w.ticket IS NULL THEN l.acquired ELSE $wall END,
       released = CASE WHEN w.ticket IS NULL THEN $wall ELSE l.released END,
       value = w.value,
       served = coalesce(w.ticket, l.served),
       queued = CASE WHEN w.ticket IS NULL THEN v.ticket IS NOT NULL ELSE v.last > v.ticket END,
       mode = 0
  FROM (SELECT x.queue_version, x.ranked,
               coalesce((SELECT a.ticket
                           FROM dblock_queue a JOIN dblock_session b ON b.id = a.session
                          WHERE a.name = x.name AND a.ticket > x.served AND NOT b.dead
                            AND a.token IS NULL AND a.upgrades IS NULL
                            AND (b.expires > $boot OR b.clock <> $clock)
                          ORDER BY a.ticket LIMIT 1),
                        (SELECT a.ticket
                           FROM dblock_queue a JOIN dblock_session b ON b.id = a.session
                          WHERE a.name = x.name AND a.ticket > x.served AND NOT b.dead
                            AND a.token IS NULL AND a.upgrades IS NULL
                          ORDER BY a.ticket LIMIT 1)) AS ticket,
               (SELECT max(a.ticket) FROM dblock_queue a
                 WHERE a.name = x.name AND a.token IS NULL AND a.upgrades IS NULL) AS last,
               CASE WHEN $3 = 0
                    THEN EXISTS (SELECT 1 FROM dblock_queue h
                                  WHERE h.name = x.name AND h.token IS NOT NULL)
                    ELSE 0 END AS by_rows
          FROM dblock_lock x
         WHERE x.name = $1) v
  LEFT JOIN dblock_queue w ON w.name = $1 AND w.ticket = v.ticket AND w.mode = 0
                           AND w.names = 1 AND w.priority = 0 AND NOT v.ranked
  LEFT JOIN dblock_session s ON s.id = w.session
 WHERE l.name = $1 AND l.token = $2 AND l.queue_version = v.queue_version
   AND ((l.nonce <> 0 AND ($3 IS NULL OR l.nonce = $3)
         AND (l.session IS NOT NULL
              OR (l.expires IS NOT NULL AND (l.expires > $boot OR l.clock <> $clock)))
         AND coalesce(l.keep_until <= $boot OR l.clock <> $clock, 1))
        OR ((l.queued OR l.mode <> 0) AND NOT v.by_rows AND $3 = 0
            AND ((l.session IS NULL AND l.expires IS NULL)
                 OR (l.expires <= $boot AND l.clock = $clock)
                 OR EXISTS (SELECT 1 FROM dblock_session d WHERE d.id = l.session AND d.dead))))
RETURNING token, nonce,
          (SELECT w.bell FROM dblock_queue w WHERE w.name = $1 AND w.ticket = served AND nonce <> 0),
          queued
