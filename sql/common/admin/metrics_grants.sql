-- metrics_grants: how many grants there are, by mode and by what they are held by (enum dbl_held), and of each
-- kind the age of the oldest, us.
-- (One reading of the clock, c, serves for all. It reads all of dblock_lock: nothing but names is indexed there.)
SELECT g.mode, g.held, count(*) AS n, max(g.age) AS age
  FROM (SELECT h.mode, h.age,
               CASE WHEN h.expires IS NOT NULL THEN CASE WHEN h.nonce <> 0 THEN 1 ELSE 2 END
                    WHEN s.id IS NULL THEN 4
                    WHEN s.dead THEN 3
                    ELSE 0 END AS held
          FROM (SELECT 0 AS mode, l.session, l.nonce, l.expires, c.wall - l.acquired AS age
                  FROM (SELECT $wall AS wall, $boot AS boot) c CROSS JOIN dblock_lock l
                 WHERE l.session IS NOT NULL
                    OR (l.expires IS NOT NULL AND (l.expires > c.boot OR l.clock <> $clock))
             UNION ALL
                SELECT q.mode, q.session, q.nonce, q.expires, c.wall - q.acquired AS age
                  FROM (SELECT $wall AS wall, $boot AS boot) c CROSS JOIN dblock_queue q
                 WHERE q.token IS NOT NULL AND (q.expires IS NULL OR q.expires > c.boot OR q.clock <> $clock)) h
          LEFT JOIN dblock_session s ON s.id = h.session) g
 GROUP BY g.mode, g.held
 ORDER BY g.mode, g.held
