-- request_grants: the grants that hold a lock, a page in order of token: whom to ask to let go.
-- $1 name  $2 only tokens after this one  $3 at most so many
SELECT l.name, l.token, l.host, l.pid
  FROM (SELECT CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED) AS now) c
  JOIN dblock_lock l ON l.name = $1
  LEFT JOIN dblock_session s ON s.id = l.session
 WHERE l.token > $2
   AND l.nonce <> 0 AND ((l.session IS NOT NULL AND NOT COALESCE(s.dead, FALSE))
                      OR l.expires > c.now)
 ORDER BY l.token
 LIMIT $3
