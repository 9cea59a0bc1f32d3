-- graph: for each name that somebody waits for, in byte order of names, who holds it and then who waits
-- for it, in the order in which they are granted it. Times are us.
SELECT g.name, g.token, g.ticket, g.nonce, g.mode, g.weight, g.upgrades, g.session, g.thread,
       g.blocks, g.by_time, g.host, g.pid, g.app, g.since
  FROM (SELECT l.name, l.token, 0 AS ticket, l.nonce, 0 AS mode, 1 AS weight,
               NULL AS upgrades, coalesce(l.session, '') AS session, l.thread, false AS blocks,
               (l.expires IS NOT NULL) AS by_time, l.host, l.pid, coalesce(s.app, '') AS app,
               l.acquired AS since, 0 AS place
          FROM (SELECT DISTINCT w.name FROM dblock_queue w WHERE w.token IS NULL) d
          JOIN dblock_lock l ON l.name = d.name
          LEFT JOIN dblock_session s ON s.id = l.session
         WHERE l.session IS NOT NULL OR (l.expires IS NOT NULL AND (l.expires > $boot OR l.clock <> $clock))
     UNION ALL
        SELECT q.name, q.token, q.ticket, q.nonce, q.mode, q.weight, q.upgrades,
               CASE WHEN q.expires IS NULL THEN q.session ELSE '' END, q.thread, q.blocks,
               (q.expires IS NOT NULL),
               CASE WHEN q.token IS NULL THEN coalesce(s.host, '') ELSE q.host END,
               CASE WHEN q.token IS NULL THEN coalesce(s.pid, 0) ELSE q.pid END,
               coalesce(s.app, ''), coalesce(q.acquired, q.since),
               CASE WHEN l.ranked AND q.token IS NULL THEN q.since - q.priority * 10000000 ELSE 0 END
          FROM dblock_queue q
          JOIN dblock_lock l ON l.name = q.name
          LEFT JOIN dblock_session s ON s.id = q.session
         WHERE CASE WHEN q.token IS NOT NULL
                    THEN EXISTS (SELECT 1 FROM dblock_queue w
                                  WHERE w.name = q.name AND w.token IS NULL)
                    ELSE NOT coalesce(s.dead, true)
                         AND (q.ticket > l.served OR q.upgrades IS NOT NULL) END) g
 ORDER BY g.name, g.token IS NULL, g.place, g.ticket
