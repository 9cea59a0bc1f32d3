-- metrics_waiters: how many waits there are, by the state of the session that waits (enum dbl_life), and of each
-- kind the age of the oldest, us. Who waits for several names has a wait for each.
SELECT w.life, count(*) AS n, max(w.age) AS age
  FROM (SELECT CASE WHEN s.id IS NULL THEN 3
                    WHEN s.dead THEN 2
                    WHEN s.expires <= c.boot AND s.clock = $clock THEN 1
                    ELSE 0 END AS life, c.wall - q.since AS age
          FROM (SELECT $wall AS wall, $boot AS boot) c CROSS JOIN dblock_queue q
          LEFT JOIN dblock_lock l ON l.name = q.name
          LEFT JOIN dblock_session s ON s.id = q.session
         WHERE q.token IS NULL AND q.ticket > coalesce(l.served, 0)) w
 GROUP BY w.life
 ORDER BY w.life
