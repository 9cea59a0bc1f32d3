-- line: all that decides who may have a lock: the rows that hold it, then the first of the queue. Each
-- has the facts of the lock's own row (held: 0 that row holds nothing; 1 it holds the lock; 2 it does,
-- but its holder is dead, or may be, or its lease has ended). No row: the name is not known yet.
-- watch, mark: as with look, for a row that holds the lock. lock_capacity: what is stored, if anything is.
-- Of a queue in which somebody has a priority (ranked) all who wait, as the first may be anywhere in it.
-- $1 name
SELECT l.queue_version, l.token AS lock_token,
       CASE WHEN l.session IS NULL AND l.expires IS NULL THEN 0
            WHEN l.expires > $boot AND l.clock = $clock THEN 1
            WHEN l.expires IS NULL
                 AND EXISTS (SELECT 1 FROM dblock_session d
                              WHERE d.id = l.session AND NOT d.dead AND d.clock = $clock AND d.expires > $boot) THEN 1
            ELSE 2 END AS held, l.served,
       w.ticket, w.nonce, w.mode, w.weight, w.capacity, w.upgrades, w.names, w.token,
       w.session, s.dead AS dead, s.beat, s.ttl,
       CASE WHEN s.clock = $clock THEN s.expires - $boot END AS session_left,
       w.lease, w.expires,
       CASE WHEN w.clock = $clock THEN w.expires - $boot END AS lease_left,
       CASE WHEN w.token IS NULL THEN coalesce(s.host, '') ELSE w.host END AS host,
       CASE WHEN w.token IS NULL THEN coalesce(s.pid, 0) ELSE w.pid END AS pid,
       w.thread, w.bell,
       $wall AS now,
       $boot AS clock,
       CASE WHEN w.token IS NOT NULL AND w.nonce <> 0 THEN
       (SELECT CASE WHEN w.expires IS NULL
                       OR (coalesce(min(CASE WHEN v.told <> 0 OR coalesce(vs.dead, true) THEN 1 ELSE 0 END), 0) = 1
                           AND NOT EXISTS (SELECT 1 FROM dblock_session p
                                            WHERE p.host = w.host AND p.pid = w.pid AND NOT p.dead AND p.protocol > 0
                                              AND NOT EXISTS (SELECT 1 FROM dblock_revocation pv
                                                               WHERE pv.session = p.id AND pv.name = w.name
                                                                 AND (pv.token = w.token OR pv.nonce = w.nonce))))
                     THEN max(coalesce(vs.ttl, (SELECT max(a.ttl) FROM dblock_session a))) END
          FROM dblock_revocation v
          LEFT JOIN dblock_session vs ON vs.id = v.session
         WHERE v.name = w.name AND (v.token = w.token OR v.nonce = w.nonce)) END AS watch,
       CASE WHEN w.token IS NOT NULL THEN s.mark END AS mark,
       l.capacity AS lock_capacity, l.ranked, w.priority, w.since
  FROM dblock_lock l
  LEFT JOIN dblock_queue w
    ON w.name = l.name
   AND (w.token IS NOT NULL OR w.upgrades IS NOT NULL
        OR (w.ticket > l.served
            AND (l.ranked OR w.ticket <= coalesce((SELECT a.ticket FROM dblock_queue a
                                       WHERE a.name = $1 AND a.token IS NULL AND a.ticket > l.served
                                       ORDER BY a.ticket LIMIT 1 OFFSET 63), 9223372036854775807))))
  LEFT JOIN dblock_session s ON s.id = w.session
 WHERE l.name = $1
 ORDER BY w.token IS NULL, w.ticket
