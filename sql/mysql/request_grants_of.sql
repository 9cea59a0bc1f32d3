-- request_grants_of: what one client holds, a page in order of name and token. What has an end of its
-- own belongs to no session: it counts for each of its process.
-- $1 session, or '' for all of the process  $2 host  $3 pid
-- $4 only behind this name  $5 and token  $6 at most so many
SELECT l.name, l.token, l.host, l.pid
  FROM (SELECT CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED) AS now) c
  JOIN dblock_lock l ON l.host = $2 AND l.pid = $3
  LEFT JOIN dblock_session s ON s.id = l.session
 WHERE ($1 = '' OR l.session IS NULL OR l.session = $1)
   AND (l.name > $4 OR (l.name = $4 AND l.token > $5))
   AND l.nonce <> 0 AND ((l.session IS NOT NULL AND NOT COALESCE(s.dead, FALSE))
                      OR l.expires > c.now)
 ORDER BY l.name, l.token
 LIMIT $6
