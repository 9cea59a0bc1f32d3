-- cycle: for whom a wait waits, for whom those wait, and so on: edges between waits of threads that do
-- nothing else meanwhile. A thread is known by its session and the kernel's number; 0 is no thread's.
-- $1 name, perhaps one of several  $2 nonce of our own wait
-- An edge goes from a wait, in the queue of `name`, to the wait of a thread that keeps it from being
-- granted:  kind 0  the thread holds the lock alone, by the lock's own row
--                1  it has a grant in a row, in a mode that excludes the one that is waited for;
--                   of permits, one without whose release there are never enough
--                2  it waits before ours, must be granted before, and its wait may be long: for
--                   several names, for a mode or permits that exclude others; or an upgrade
-- A lease makes no edge, nor does a session that is dead or looks so: those end by themselves. Of a
-- thread only the last wait counts: it has but one, and older ones are those that it could not take back.
-- Each edge is followed once, so the search ends.
WITH RECURSIVE walk AS (
  SELECT q.name, q.ticket, -1 AS kind, 0::bigint AS token, 0 AS held_mode, 0::bigint AS held_weight,
         q.name AS to_name, q.ticket AS to_ticket
    FROM dblock_queue o
    JOIN dblock_queue q ON q.session = o.session AND q.thread = o.thread AND q.nonce = o.nonce
   WHERE o.name = $1::text AND o.nonce = $2::bigint AND q.token IS NULL
UNION
  SELECT w.name, w.ticket, h.kind, h.token, h.mode, h.weight, n.name, n.ticket
    FROM walk r
    JOIN dblock_queue w ON w.name = r.to_name AND w.ticket = r.to_ticket
   CROSS JOIN LATERAL (
         SELECT 0 AS kind, l.token, 0 AS mode, 1::bigint AS weight, l.session, l.thread
           FROM dblock_lock l
          WHERE l.name = w.name AND l.session IS NOT NULL
      UNION ALL
         SELECT 1, g.token, g.mode::int, g.weight, g.session, g.thread
           FROM dblock_queue g
          WHERE g.name = w.name AND g.token IS NOT NULL AND g.expires IS NULL
            AND CASE WHEN w.upgrades IS NOT NULL THEN g.nonce <> w.upgrades
                     WHEN g.mode = 3 AND w.mode = 3
                     THEN g.weight + w.weight
                          + coalesce((SELECT sum(o.weight) FROM dblock_queue o
                                       WHERE o.name = w.name AND o.token IS NOT NULL AND o.mode = 3
                                         AND o.session = w.session AND o.thread = w.thread
                                         AND o.nonce <> g.nonce), 0)
                    > coalesce((SELECT k.capacity FROM dblock_lock k WHERE k.name = w.name), w.capacity)
                     ELSE g.mode IN (0, 3) OR w.mode IN (0, 3) OR (g.mode = 2 AND w.mode = 2) END
      UNION ALL
         SELECT 2, e.ticket, e.mode::int, e.weight, e.session, e.thread
           FROM dblock_queue e
          WHERE e.name = w.name AND e.token IS NULL AND e.blocks AND w.upgrades IS NULL
            AND NOT EXISTS (SELECT 1 FROM dblock_queue y
                             WHERE y.session = e.session AND y.thread = e.thread AND y.blocks
                               AND y.token IS NULL AND y.nonce <> e.nonce AND y.since >= e.since)
            AND (e.upgrades IS NOT NULL
                 OR (CASE WHEN e.priority = w.priority THEN e.ticket < w.ticket
                          ELSE e.since - e.priority * 10000000 < w.since - w.priority * 10000000 END
                     AND (e.names > 1
                          OR (w.mode = 1 AND e.mode IN (0, 2))
                          OR (w.mode = 2 AND e.mode = 0)
                          OR (w.mode = 3 AND e.mode = 3 AND e.weight > w.weight))))) h
    JOIN dblock_session s
      ON s.id = h.session AND NOT s.dead
     AND s.expires > (extract(epoch FROM clock_timestamp()) * 1000000)::bigint
    JOIN dblock_queue n
      ON n.session = h.session AND n.thread = h.thread AND n.thread <> 0 AND n.blocks
     AND n.token IS NULL
     AND NOT EXISTS (SELECT 1 FROM dblock_queue y
                      WHERE y.session = n.session AND y.thread = n.thread AND y.blocks
                        AND y.token IS NULL AND y.nonce <> n.nonce AND y.since >= n.since)
    JOIN dblock_lock nl ON nl.name = n.name
   WHERE CASE WHEN n.upgrades IS NULL THEN n.ticket > nl.served
              ELSE EXISTS (SELECT 1 FROM dblock_queue b
                            WHERE b.name = n.name AND b.nonce = n.upgrades AND b.token IS NOT NULL) END)
SELECT w.name, w.nonce, w.mode::bigint, w.weight,
       coalesce((SELECT k.capacity FROM dblock_lock k WHERE k.name = w.name), w.capacity) AS capacity,
       w.upgrades, w.since, w.thread,
       f.host, f.pid, f.app, x.kind::bigint, x.token, x.held_mode::bigint, x.held_weight, t.nonce AS to_nonce, w.names
  FROM walk x
  JOIN dblock_queue w ON w.name = x.name AND w.ticket = x.ticket
  JOIN dblock_session f ON f.id = w.session
  JOIN dblock_queue t ON t.name = x.to_name AND t.ticket = x.to_ticket
 WHERE x.kind >= 0
 ORDER BY w.name, w.ticket, x.kind, x.token, x.to_name, x.to_ticket
