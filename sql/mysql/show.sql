-- show: one name, held or not.
-- $1 name
SELECT l.name, l.token, l.session, l.host, l.pid, l.thread, l.reentry,
       COALESCE(s.app, '') AS app, s.id AS session_found, s.dead,
       l.acquired, l.expires, l.expires - c.now AS lease_left,
       s.expires - c.now AS session_left, l.nonce, l.value, c.now
  FROM (SELECT CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED) AS now) c
  JOIN dblock_lock l
  LEFT JOIN dblock_session s ON s.id = l.session
 WHERE l.name = $1
