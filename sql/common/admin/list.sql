-- list: a page of grants, in byte order of names and then in order of tokens: exclusive grants from the
-- lock's own row, others from rows of dblock_queue.
-- (One reading of the clock, c, serves for all times of a row.)
-- $1 $2 only after this name and token  $3 not 0: also names that nobody holds  $4 at most so many
SELECT g.name, g.token, CASE WHEN g.expires IS NULL THEN g.session END AS session, g.host, g.pid, g.thread,
       g.reentry, coalesce(s.app, '') AS app, s.id AS session_found, s.dead, g.acquired, g.expires,
       g.lease_left, CASE WHEN s.clock = $clock THEN s.expires - g.boot END AS session_left,
       g.nonce, g.value, g.wall AS now,
       CASE WHEN g.queued
            THEN (SELECT count(*) FROM dblock_queue q JOIN dblock_session b ON b.id = q.session
                   WHERE q.name = g.name AND q.ticket > g.served AND NOT b.dead
                     AND q.token IS NULL)
            ELSE 0 END AS waiting,
       g.mode, g.weight, g.capacity,
       r.reason, r.by_host, r.by_pid, r.by_app, r.since AS requested,
       v.cause, v.by_host AS taken_host, v.by_pid AS taken_pid, v.by_app AS taken_app,
       v.since AS taken, v.told, s.mark, s.beat
  FROM (SELECT * FROM (
        SELECT l.name, l.token, l.session, l.host, l.pid, l.thread, l.reentry, l.acquired, l.expires,
               CASE WHEN l.clock = $clock THEN l.expires - c.boot END AS lease_left, c.wall, c.boot,
               l.nonce, l.value, l.queued, l.served, 0 AS mode, 1 AS weight, nullif(1, 1) AS capacity
          FROM (SELECT $wall AS wall, $boot AS boot) c CROSS JOIN dblock_lock l
         WHERE l.name >= $1 AND (l.name > $1 OR l.token > $2)
           AND (l.session IS NOT NULL OR (l.expires IS NOT NULL AND (l.expires > $boot OR l.clock <> $clock))
                OR ($3 <> 0 AND NOT EXISTS (SELECT 1 FROM dblock_queue r
                                             WHERE r.name = l.name AND r.token IS NOT NULL)))
         ORDER BY l.name
         LIMIT $4) AS alone
        UNION ALL
        SELECT * FROM (
        SELECT w.name, w.token, w.session, w.host, w.pid, w.thread, w.reentry, w.acquired, w.expires,
               CASE WHEN w.clock = $clock THEN w.expires - c.boot END AS lease_left, c.wall, c.boot,
               w.nonce, w.value, l.queued, l.served, w.mode, w.weight, coalesce(l.capacity, w.capacity)
          FROM (SELECT $wall AS wall, $boot AS boot) c CROSS JOIN dblock_queue w
          JOIN dblock_lock l ON l.name = w.name
         WHERE w.name >= $1 AND (w.name > $1 OR w.token > $2) AND w.token IS NOT NULL
         ORDER BY w.name, w.token
         LIMIT $4) AS by_rows) g
  LEFT JOIN dblock_session s ON s.id = g.session
  LEFT JOIN dblock_request r
    ON r.host = g.host AND r.pid = g.pid AND r.name = g.name AND r.token = g.token
   AND g.nonce <> 0
  LEFT JOIN dblock_revocation v
    ON v.name = g.name AND g.nonce <> 0
   AND (v.token, v.session) = (SELECT o.token, o.session FROM dblock_revocation o
                                WHERE o.name = g.name AND (o.token = g.token OR o.nonce = g.nonce)
                                ORDER BY o.token, o.session LIMIT 1)
 ORDER BY g.name, g.token
 LIMIT $4
