-- pool_list: a page of members of pools, in byte order of pools and members: drained or not, since when; how many
-- permits are stored, how many hold it, and wait; of whom was first in the queue of its holders the token, host,
-- process, program; and the time.
-- $1 pool, or ''  $2 $3 only after this pool and member  $4 at most so many
SELECT p.pool, p.member, p.drained, p.since, l.capacity,
       coalesce((SELECT count(*) FROM dblock_queue r
                  WHERE r.name = p.member AND r.token IS NOT NULL AND r.nonce <> 0
                    AND (r.expires IS NULL OR r.expires > $boot OR r.clock <> $clock)), 0)
       + CASE WHEN l.session IS NOT NULL THEN 1
              WHEN l.nonce <> 0 AND l.expires IS NOT NULL AND (l.expires > $boot OR l.clock <> $clock) THEN 1
              ELSE 0 END AS holders,
       coalesce((SELECT count(*) FROM dblock_queue w JOIN dblock_session b ON b.id = w.session
                  WHERE w.name = p.member AND w.ticket > l.served AND NOT b.dead AND w.token IS NULL), 0) AS waiting,
       coalesce(h.token, l.token) AS token, coalesce(h.host, l.host) AS host, coalesce(h.pid, l.pid) AS pid,
       s.app, $wall AS now
  FROM dblock_pool p
  LEFT JOIN dblock_lock l ON l.name = p.member
  LEFT JOIN dblock_queue h
    ON h.name = p.member
   AND h.ticket = (SELECT min(r.ticket) FROM dblock_queue r
                    WHERE r.name = p.member AND r.token IS NOT NULL AND r.nonce <> 0
                      AND (r.expires IS NULL OR r.expires > $boot OR r.clock <> $clock))
  LEFT JOIN dblock_session s
    ON s.id = CASE WHEN h.ticket IS NULL THEN l.session WHEN h.expires IS NULL THEN h.session END
 WHERE p.pool >= $2 AND (p.pool > $2 OR p.member > $3) AND (p.pool = $1 OR $1 = '')
 ORDER BY p.pool, p.member
 LIMIT $4
