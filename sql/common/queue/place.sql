-- place: a wait's position in its queue, and who has the lock.
-- $1 name  $2 ticket of that wait
-- The position counts the wait itself; the next number is the queue's length; neither counts dead
-- sessions. If rows of dblock_queue hold the lock, the first of them is shown, and the last column is
-- their number.
SELECT coalesce(h.token, l.token) AS token, coalesce(h.nonce, l.nonce) AS nonce,
       (h.ticket IS NOT NULL AND h.expires IS NULL OR l.session IS NOT NULL) AS by_session,
       (h.expires IS NOT NULL
        OR (l.expires IS NOT NULL AND (l.expires > $boot OR l.clock <> $clock))) AS by_time,
       coalesce(h.host, l.host) AS host, coalesce(h.pid, l.pid) AS pid, coalesce(s.app, '') AS app,
       coalesce(h.acquired, l.acquired) AS acquired,
       (SELECT count(*) FROM dblock_queue w JOIN dblock_session b ON b.id = w.session
          JOIN dblock_queue me ON me.name = w.name AND me.ticket = $2
         WHERE w.name = $1 AND w.ticket > l.served AND NOT b.dead AND w.token IS NULL
           AND CASE WHEN w.priority = me.priority OR NOT l.ranked THEN w.ticket <= $2
                    ELSE w.since - w.priority * 10000000 < me.since - me.priority * 10000000 END) AS place,
       (SELECT count(*) FROM dblock_queue w JOIN dblock_session b ON b.id = w.session
         WHERE w.name = $1 AND w.ticket > l.served AND NOT b.dead
           AND w.token IS NULL) AS waiting,
       $wall AS now,
       (SELECT count(*) FROM dblock_queue r
         WHERE r.name = $1 AND r.token IS NOT NULL AND r.nonce <> 0
           AND (r.expires IS NULL OR r.expires > $boot OR r.clock <> $clock)) AS holders
  FROM dblock_lock l
  LEFT JOIN dblock_queue h
    ON h.name = l.name
   AND h.ticket = (SELECT min(r.ticket) FROM dblock_queue r
                    WHERE r.name = $1 AND r.token IS NOT NULL AND r.nonce <> 0
                      AND (r.expires IS NULL OR r.expires > $boot OR r.clock <> $clock))
  LEFT JOIN dblock_session s
    ON s.id = CASE WHEN h.ticket IS NULL THEN l.session WHEN h.expires IS NULL THEN h.session END
 WHERE l.name = $1
