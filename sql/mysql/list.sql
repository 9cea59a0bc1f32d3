-- list: who holds what, a page of names in byte order.
-- $1 only names after this one  $2 not 0: also names that nobody holds  $3 at most so many
SELECT l.name, l.token, l.session, l.host, l.pid, l.thread, l.reentry,
       COALESCE(s.app, '') AS app, s.id AS session_found, s.dead,
       l.acquired, l.expires, l.expires - c.now AS lease_left,
       s.expires - c.now AS session_left, l.nonce, l.value, c.now,
       CASE WHEN l.queued
            THEN (SELECT COUNT(*) FROM dblock_waiter w JOIN dblock_session b ON b.id = w.session
                   WHERE w.name = l.name AND w.ticket > l.served AND NOT b.dead)
            ELSE 0 END AS waiting,
       r.reason, r.by_host, r.by_pid, r.by_app, r.since AS requested
  FROM (SELECT CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED) AS now) c
  JOIN dblock_lock l
  LEFT JOIN dblock_session s ON s.id = l.session
  LEFT JOIN dblock_request r
    ON r.host = l.host AND r.pid = l.pid AND r.name = l.name AND r.token = l.token AND l.nonce <> 0
 WHERE l.name > $1
   AND ($2 <> 0 OR l.session IS NOT NULL OR l.expires > c.now)
 ORDER BY l.name
 LIMIT $3
