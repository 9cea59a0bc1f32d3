-- metrics_sessions: how many sessions there are, by their state (enum dbl_life), and of each kind how long ago the
-- last and the oldest heartbeat was, us; on SQLite of those since this boot.
SELECT a.life, count(*) AS n, min(a.boot - a.beaten) AS last, max(a.boot - a.beaten) AS oldest
  FROM (SELECT CASE WHEN s.dead THEN 2
                    WHEN s.expires <= c.boot AND s.clock = $clock THEN 1
                    ELSE 0 END AS life, c.boot,
               CASE WHEN s.clock = $clock THEN s.expires - s.ttl END AS beaten
          FROM (SELECT $wall AS wall, $boot AS boot) c CROSS JOIN dblock_session s) a
 GROUP BY a.life
 ORDER BY a.life
