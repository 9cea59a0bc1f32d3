-- waiters_of: a page of the waits for one name, in order of tickets.
-- $1 name  $2 only after this ticket  $3 at most so many
-- Positions count from 1, over waits whose ticket is above the last one served and whose session is not
-- dead, in the order in which they are granted; 0: a wait that does not count. Times are us.
SELECT q.name, q.ticket, q.place, q.thread, q.since, q.lease, q.value, q.session, q.session_found,
       q.host, q.pid, q.app, q.dead, q.session_left, $wall AS now,
       q.mode, q.weight, q.capacity, q.priority
  FROM (SELECT w.name, w.ticket, w.priority, w.mode, w.weight, coalesce(l.capacity, w.capacity) AS capacity, w.thread, w.since, w.lease, w.value, w.session,
               s.id AS session_found, coalesce(s.host, '') AS host, coalesce(s.pid, 0) AS pid,
               coalesce(s.app, '') AS app,
               s.dead,
               CASE WHEN s.clock = $clock THEN s.expires - $boot END AS session_left,
               CASE WHEN s.dead THEN 0 WHEN s.id IS NULL THEN 0
                    WHEN l.ranked
                    THEN (SELECT count(*) FROM dblock_queue o JOIN dblock_session b ON b.id = o.session AND NOT b.dead
                           WHERE o.name = w.name AND o.ticket > l.served AND o.token IS NULL
                             AND CASE WHEN o.priority = w.priority THEN o.ticket <= w.ticket
                                      ELSE o.since - o.priority * 10000000 < w.since - w.priority * 10000000 END)
                    ELSE count(CASE WHEN NOT s.dead THEN 1 END)
                         OVER (ORDER BY w.ticket ROWS UNBOUNDED PRECEDING) END AS place
          FROM dblock_queue w
          LEFT JOIN dblock_lock l ON l.name = w.name
          LEFT JOIN dblock_session s ON s.id = w.session
         WHERE w.name = $1 AND w.ticket > coalesce(l.served, 0)
           AND w.token IS NULL) q
 WHERE q.ticket > $2
 ORDER BY q.ticket
 LIMIT $3
