-- place: where a wait stands in its line, and who has the lock.
-- $1 name  $2 ticket of that wait
-- Of the line, as many as stand before it (and itself), and all; without those whose session is dead.
SELECT l.token, l.nonce, (l.session IS NOT NULL) AS by_session,
       (l.expires IS NOT NULL AND (l.expires > $boot OR l.clock <> $clock)) AS by_time,
       l.host, l.pid, coalesce(s.app, '') AS app, l.acquired,
       (SELECT count(*) FROM dblock_queue w JOIN dblock_session b ON b.id = w.session
         WHERE w.name = $1 AND w.ticket > l.served AND w.ticket <= $2 AND NOT b.dead
           AND w.token IS NULL) AS place,
       (SELECT count(*) FROM dblock_queue w JOIN dblock_session b ON b.id = w.session
         WHERE w.name = $1 AND w.ticket > l.served AND NOT b.dead
           AND w.token IS NULL) AS waiting,
       $wall AS now
  FROM dblock_lock l
  LEFT JOIN dblock_session s ON s.id = l.session
 WHERE l.name = $1
