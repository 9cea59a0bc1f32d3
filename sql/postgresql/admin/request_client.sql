-- request_client: is there such a client? A row with its host and pid.
-- $1 session, or ''  $2 host  $3 pid, where the session is not given
SELECT s.host, s.pid
  FROM dblock_session s
 WHERE NOT s.dead
   AND (s.id = $1::text OR ($1::text = '' AND s.host = $2::text AND s.pid = $3::bigint))
 LIMIT 1
