-- list: who holds what, a page in byte order of names, and in each in order of tokens: those who have a
-- lock alone, from its own row, and those whose grants rows of dblock_queue carry.
-- $1 $2 only behind this name and token  $3 not 0: also names that nobody holds  $4 at most so many
SELECT * FROM (SELECT l.name, l.token, l.session, l.host, l.pid, l.thread, l.reentry,
       coalesce(s.app, '') AS app, s.id AS session_found, s.dead,
       l.acquired, l.expires, l.expires - c.now AS lease_left,
       s.expires - c.now AS session_left, l.nonce, l.value, c.now,
       CASE WHEN l.queued
            THEN (SELECT count(*) FROM dblock_queue q JOIN dblock_session b ON b.id = q.session
                   WHERE q.name = l.name AND q.ticket > l.served AND NOT b.dead
                     AND q.token IS NULL)
            ELSE 0 END AS waiting,
       0 AS mode, 1 AS weight, nullif(1, 1) AS capacity,
       r.reason, r.by_host, r.by_pid, r.by_app, r.since AS requested,
       v.cause, v.by_host AS taken_host, v.by_pid AS taken_pid, v.by_app AS taken_app,
       v.since AS taken, v.told
  FROM (SELECT $wall AS now) c
  JOIN dblock_lock l ON true
  LEFT JOIN dblock_session s ON s.id = l.session
  LEFT JOIN dblock_request r
    ON r.host = l.host AND r.pid = l.pid AND r.name = l.name AND r.token = l.token
   AND l.nonce <> 0
  LEFT JOIN dblock_revocation v
    ON v.name = l.name AND l.nonce <> 0
   AND (v.token, v.session) = (SELECT o.token, o.session FROM dblock_revocation o
                                WHERE o.name = l.name AND (o.token = l.token OR o.nonce = l.nonce)
                                ORDER BY o.token, o.session LIMIT 1)
 WHERE l.name >= $1 AND (l.name > $1 OR l.token > $2)
   AND (l.session IS NOT NULL OR l.expires > c.now
        OR ($3 <> 0 AND NOT EXISTS (SELECT 1 FROM dblock_queue r
                                     WHERE r.name = l.name AND r.token IS NOT NULL)))
 ORDER BY l.name
 LIMIT $4) AS alone
UNION ALL
SELECT * FROM (SELECT w.name, w.token, CASE WHEN w.expires IS NULL THEN w.session END AS session, w.host, w.pid, w.thread, w.reentry,
       coalesce(s.app, '') AS app, s.id AS session_found, s.dead,
       w.acquired, w.expires, w.expires - c.now AS lease_left,
       s.expires - c.now AS session_left, w.nonce, w.value, c.now,
       CASE WHEN l.queued
            THEN (SELECT count(*) FROM dblock_queue q JOIN dblock_session b ON b.id = q.session
                   WHERE q.name = l.name AND q.ticket > l.served AND NOT b.dead
                     AND q.token IS NULL)
            ELSE 0 END AS waiting,
       w.mode AS mode, w.weight, w.capacity,
       r.reason, r.by_host, r.by_pid, r.by_app, r.since AS requested,
       v.cause, v.by_host AS taken_host, v.by_pid AS taken_pid, v.by_app AS taken_app,
       v.since AS taken, v.told
  FROM (SELECT $wall AS now) c
  JOIN dblock_queue w ON true
  JOIN dblock_lock l ON l.name = w.name
  LEFT JOIN dblock_session s ON s.id = w.session
  LEFT JOIN dblock_request r
    ON r.host = w.host AND r.pid = w.pid AND r.name = w.name AND r.token = w.token
   AND w.nonce <> 0
  LEFT JOIN dblock_revocation v
    ON v.name = w.name AND w.nonce <> 0
   AND (v.token, v.session) = (SELECT o.token, o.session FROM dblock_revocation o
                                WHERE o.name = w.name AND (o.token = w.token OR o.nonce = w.nonce)
                                ORDER BY o.token, o.session LIMIT 1)
 WHERE w.name >= $1 AND (w.name > $1 OR w.token > $2)
   AND w.token IS NOT NULL
 ORDER BY w.name, w.token
 LIMIT $4) AS by_rows
 ORDER BY name, token
 LIMIT $4
