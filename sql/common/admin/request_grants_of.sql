-- request_grants_of: a page, in order of name and token, of the grants that one client holds. A lease
-- belongs to no session: it counts for each session of its process.
-- $1 session, or '' for all of the process  $2 host  $3 pid
-- $4 only after this name  $5 and token  $6 at most so many
SELECT l.name, l.token, l.host, l.pid
  FROM dblock_lock l
  LEFT JOIN dblock_session s ON s.id = l.session
 WHERE l.host = $2 AND l.pid = $3
   AND ($1 = '' OR l.session IS NULL OR l.session = $1)
   AND (l.name > $4 OR (l.name = $4 AND l.token > $5))
   AND l.nonce <> 0
   AND ((l.session IS NOT NULL AND NOT coalesce(s.dead, false))
        OR (l.expires IS NOT NULL AND (l.expires > $boot OR l.clock <> $clock)))
UNION ALL
SELECT w.name, w.token, w.host, w.pid
  FROM dblock_queue w
  LEFT JOIN dblock_session s ON s.id = w.session
 WHERE w.host = $2 AND w.pid = $3
   AND ($1 = '' OR w.expires IS NOT NULL OR w.session = $1)
   AND (w.name > $4 OR (w.name = $4 AND w.token > $5))
   AND w.nonce <> 0 AND w.token IS NOT NULL
   AND ((w.expires IS NULL AND NOT coalesce(s.dead, false))
        OR (w.expires IS NOT NULL AND (w.expires > $boot OR w.clock <> $clock)))
 ORDER BY name, token
 LIMIT $6
