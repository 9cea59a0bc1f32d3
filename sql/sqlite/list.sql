-- list: who holds what, a page of names in byte order.
-- $1 only names after this one  $2 not 0: also names that nobody holds  $3 at most so many
SELECT l.name, l.token, l.session, l.host, l.pid, l.thread, l.reentry,
       coalesce(s.app, '') AS app, s.id AS session_found, s.dead,
       l.acquired, l.expires,
       CASE WHEN l.clock = $clock THEN l.expires - $boot END AS lease_left,
       CASE WHEN s.clock = $clock THEN s.expires - $boot END AS session_left,
       l.nonce, l.value, $wall AS now,
       CASE WHEN l.queued
            THEN (SELECT count(*) FROM dblock_waiter w JOIN dblock_session b ON b.id = w.session
                   WHERE w.name = l.name AND w.ticket > l.served AND NOT b.dead)
            ELSE 0 END AS waiting,
       r.reason, r.by_host, r.by_pid, r.by_app, r.since AS requested
  FROM dblock_lock l
  LEFT JOIN dblock_session s ON s.id = l.session
  LEFT JOIN dblock_request r
    ON r.host = l.host AND r.pid = l.pid AND r.name = l.name AND r.token = l.token AND l.nonce <> 0
 WHERE l.name > $1
   AND ($2 <> 0 OR l.session IS NOT NULL OR (l.expires IS NOT NULL AND (l.expires > $boot OR l.clock <> $clock)))
 ORDER BY l.name
 LIMIT $3
