-- request_grants: a page, in order of token, of the grants that hold a lock: an exclusive one is in the
-- lock's own row, others are in rows of dblock_queue.
-- $1 name  $2 only tokens after this one  $3 at most so many
SELECT l.name, l.token, l.host, l.pid
  FROM dblock_lock l
  LEFT JOIN dblock_session s ON s.id = l.session
 WHERE l.name = $1 AND l.token > $2
   AND l.nonce <> 0
   AND ((l.session IS NOT NULL AND NOT coalesce(s.dead, false))
        OR (l.expires IS NOT NULL AND (l.expires > $boot OR l.clock <> $clock)))
UNION ALL
SELECT w.name, w.token, w.host, w.pid
  FROM dblock_queue w
  LEFT JOIN dblock_session s ON s.id = w.session
 WHERE w.name = $1 AND w.token > $2
   AND w.nonce <> 0 AND w.token IS NOT NULL
   AND ((w.expires IS NULL AND NOT coalesce(s.dead, false))
        OR (w.expires IS NOT NULL AND (w.expires > $boot OR w.clock <> $clock)))
 ORDER BY token
 LIMIT $3
