-- place: where a wait stands in its line, and who has the lock.
-- $1 name  $2 ticket of that wait
-- Of the line, as many as stand before it (and itself), and all; without those whose session is dead.
-- Where rows of dblock_queue hold it, who has it is the first of them; and the last column, how many do.
SELECT COALESCE(h.token, l.token) AS token, COALESCE(h.nonce, l.nonce) AS nonce,
       (h.ticket IS NOT NULL AND h.expires IS NULL OR l.session IS NOT NULL) AS by_session,
       (h.expires IS NOT NULL OR COALESCE(l.expires > CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED), FALSE)) AS by_time,
       COALESCE(h.host, l.host) AS host, COALESCE(h.pid, l.pid) AS pid, COALESCE(s.app, '') AS app,
       COALESCE(h.acquired, l.acquired) AS acquired,
       (SELECT COUNT(*) FROM dblock_queue w JOIN dblock_session b ON b.id = w.session
         WHERE w.name = $1 AND w.ticket > l.served AND w.ticket <= $2 AND NOT b.dead
           AND w.token IS NULL) AS place,
       (SELECT COUNT(*) FROM dblock_queue w JOIN dblock_session b ON b.id = w.session
         WHERE w.name = $1 AND w.ticket > l.served AND NOT b.dead
           AND w.token IS NULL) AS waiting,
       CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED) AS now,
       (SELECT COUNT(*) FROM dblock_queue r
         WHERE r.name = $1 AND r.token IS NOT NULL AND r.nonce <> 0
           AND (r.expires IS NULL OR r.expires > CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED))) AS holders
  FROM dblock_lock l
  LEFT JOIN dblock_queue h
    ON h.name = l.name
   AND h.ticket = (SELECT MIN(r.ticket) FROM dblock_queue r
                    WHERE r.name = $1 AND r.token IS NOT NULL AND r.nonce <> 0
                      AND (r.expires IS NULL OR r.expires > CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED)))
  LEFT JOIN dblock_session s
    ON s.id = CASE WHEN h.ticket IS NULL THEN l.session WHEN h.expires IS NULL THEN h.session END
 WHERE l.name = $1
