-- cycle: for whom a wait waits, for whom those wait, and so on: edges between waits of threads that do
-- nothing else meanwhile. A thread is known by its session and the kernel's number; 0 is no thread's.
-- $1 name, perhaps one of several  $2 nonce of our own wait
-- What makes an edge, and its kinds, are explained in postgresql/queue/cycle.sql. The tables are read in
-- the order in which they are written.
WITH RECURSIVE blocked AS NOT MATERIALIZED ( -- the wait of a thread that does nothing else, and lives
  SELECT n.name, n.ticket, n.session, n.thread
    FROM dblock_session s
   CROSS JOIN dblock_queue n
   CROSS JOIN dblock_lock nl
   WHERE NOT s.dead AND (s.expires > $boot OR s.clock <> $clock)
     AND n.session = s.id AND n.thread <> 0 AND n.blocks AND n.token IS NULL
     AND NOT EXISTS (SELECT 1 FROM dblock_queue y
                      WHERE y.session = n.session AND y.thread = n.thread AND y.blocks
                        AND y.token IS NULL AND y.nonce <> n.nonce AND y.since >= n.since)
     AND nl.name = n.name
     AND CASE WHEN n.upgrades IS NULL THEN n.ticket > nl.served
              ELSE EXISTS (SELECT 1 FROM dblock_queue b
                            WHERE b.name = n.name AND b.nonce = n.upgrades AND b.token IS NOT NULL) END
), walk AS (
  SELECT q.name, q.ticket, -1 AS kind, 0 AS token, 0 AS held_mode, 0 AS held_weight,
         q.name AS to_name, q.ticket AS to_ticket
    FROM dblock_queue o
   CROSS JOIN dblock_queue q
   WHERE o.name = $1 AND o.nonce = $2
     AND q.session = o.session AND q.thread = o.thread AND q.nonce = o.nonce AND q.token IS NULL
UNION
  SELECT w.name, w.ticket, 0, l.token, 0, 1, n.name, n.ticket
    FROM walk r
   CROSS JOIN dblock_queue w
   CROSS JOIN dblock_lock l
   CROSS JOIN blocked n
   WHERE w.name = r.to_name AND w.ticket = r.to_ticket
     AND l.name = w.name AND l.session IS NOT NULL
     AND n.session = l.session AND n.thread = l.thread
UNION
  SELECT w.name, w.ticket, 1, g.token, g.mode, g.weight, n.name, n.ticket
    FROM walk r
   CROSS JOIN dblock_queue w
   CROSS JOIN dblock_queue g
   CROSS JOIN blocked n
   WHERE w.name = r.to_name AND w.ticket = r.to_ticket
     AND g.name = w.name AND g.token IS NOT NULL AND g.expires IS NULL
     AND CASE WHEN w.upgrades IS NOT NULL THEN g.nonce <> w.upgrades
              WHEN g.mode = 3 AND w.mode = 3
              THEN g.weight + w.weight
                   + coalesce((SELECT sum(o.weight) FROM dblock_queue o
                                WHERE o.name = w.name AND o.token IS NOT NULL AND o.mode = 3
                                  AND o.session = w.session AND o.thread = w.thread
                                  AND o.nonce <> g.nonce), 0)
                    > coalesce((SELECT k.capacity FROM dblock_lock k WHERE k.name = w.name), w.capacity)
              ELSE g.mode IN (0, 3) OR w.mode IN (0, 3) OR (g.mode = 2 AND w.mode = 2) END
     AND n.session = g.session AND n.thread = g.thread
UNION
  SELECT w.name, w.ticket, 2, e.ticket, e.mode, e.weight, n.name, n.ticket
    FROM walk r
   CROSS JOIN dblock_queue w
   CROSS JOIN dblock_queue e
   CROSS JOIN blocked n
   WHERE w.name = r.to_name AND w.ticket = r.to_ticket
     AND e.name = w.name AND e.token IS NULL AND e.blocks AND w.upgrades IS NULL
     AND NOT EXISTS (SELECT 1 FROM dblock_queue y
                      WHERE y.session = e.session AND y.thread = e.thread AND y.blocks
                        AND y.token IS NULL AND y.nonce <> e.nonce AND y.since >= e.since)
     AND (e.upgrades IS NOT NULL
          OR (CASE WHEN e.priority = w.priority THEN e.ticket < w.ticket
                   ELSE e.since - e.priority * 10000000 < w.since - w.priority * 10000000 END
              AND (e.names > 1
                   OR (w.mode = 1 AND e.mode IN (0, 2))
                   OR (w.mode = 2 AND e.mode = 0)
                   OR (w.mode = 3 AND e.mode = 3 AND e.weight > w.weight))))
     AND n.session = e.session AND n.thread = e.thread)
SELECT w.name, w.nonce, w.mode, w.weight,
       coalesce((SELECT k.capacity FROM dblock_lock k WHERE k.name = w.name), w.capacity) AS capacity,
       w.upgrades, w.since, w.thread,
       f.host, f.pid, f.app, x.kind, x.token, x.held_mode, x.held_weight, t.nonce AS to_nonce, w.names
  FROM walk x
  JOIN dblock_queue w ON w.name = x.name AND w.ticket = x.ticket
  JOIN dblock_session f ON f.id = w.session
  JOIN dblock_queue t ON t.name = x.to_name AND t.ticket = x.to_ticket
 WHERE x.kind >= 0
 ORDER BY w.name, w.ticket, x.kind, x.token, x.to_name, x.to_ticket
