-- show: one name, held or not.
-- $1 name
SELECT l.name, l.token, l.session, l.host, l.pid, l.thread, l.reentry,
       coalesce(s.app, '') AS app, s.id AS session_found, s.dead::int AS dead,
       l.acquired, l.expires, l.expires - c.now AS lease_left,
       s.expires - c.now AS session_left, l.nonce, l.value, c.now
  FROM (SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS now) c
  JOIN dblock_lock l ON true
  LEFT JOIN dblock_session s ON s.id = l.session
 WHERE l.name = $1::text
