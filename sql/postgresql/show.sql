-- show: one name, held or not.
-- $1 name
SELECT l.name, l.token, l.session, l.host, l.pid, l.thread, l.reentry,
       coalesce(s.app, '') AS app, s.id AS session_found, s.dead::int AS dead,
       l.acquired, l.expires, l.expires - c.now AS lease_left,
       s.expires - c.now AS session_left, l.nonce, l.value, c.now,
       CASE WHEN l.queued
            THEN (SELECT count(*) FROM dblock_waiter w JOIN dblock_session b ON b.id = w.session
                   WHERE w.name = l.name AND w.ticket > l.served AND NOT b.dead)
            ELSE 0 END AS waiting,
       r.reason, r.by_host, r.by_pid, r.by_app, r.since AS requested
  FROM (SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS now) c
  JOIN dblock_lock l ON true
  LEFT JOIN dblock_session s ON s.id = l.session
  LEFT JOIN dblock_request r
    ON r.host = l.host AND r.pid = l.pid AND r.name = l.name AND r.token = l.token AND l.nonce <> 0
 WHERE l.name = $1::text
