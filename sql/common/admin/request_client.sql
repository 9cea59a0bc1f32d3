-- request_client: does this client exist? A row with its host and pid if so.
-- $1 session, or ''  $2 host  $3 pid, where the session is not given
SELECT s.host, s.pid
  FROM dblock_session s
 WHERE NOT s.dead
   AND (s.id = $1 OR ($1 = '' AND s.host = $2 AND s.pid = $3))
 LIMIT 1
