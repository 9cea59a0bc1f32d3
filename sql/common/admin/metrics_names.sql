-- metrics_names: the names that are waited for, the one with the oldest wait first: how many wait whose session
-- is not dead, and how long the first of them has, us.
-- $1 at most so many
SELECT w.name, count(*) AS n, max(w.age) AS age
  FROM (SELECT q.name, c.wall - q.since AS age
          FROM (SELECT $wall AS wall, $boot AS boot) c CROSS JOIN dblock_queue q
          JOIN dblock_session s ON s.id = q.session
          LEFT JOIN dblock_lock l ON l.name = q.name
         WHERE q.token IS NULL AND q.ticket > coalesce(l.served, 0) AND NOT s.dead) w
 GROUP BY w.name
 ORDER BY age DESC, w.name
 LIMIT $1
