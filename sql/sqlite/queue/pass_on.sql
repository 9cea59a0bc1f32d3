-- pass_on: end a grant that came through the queue, and give the lock to the first in it: the usual case of
-- hand_over. A row with the new token, its nonce and its address. None: nobody waits, or somebody with a
-- priority, or the first is not to have the lock alone, or somebody has left: hand_over.
-- $1 name  $2 token  $3 nonce  $4 ticket by which this grant came: the last one that was served
-- Others may wait behind the first, so `queued` says that they do: hand_over finds if that is not so.
UPDATE dblock_lock AS l
   SET token = max(l.token + 1, $wall),
       nonce = w.nonce,
       session = CASE WHEN w.lease IS NULL THEN w.session END,
       clock = $clock,
       host = w.host,
       pid = w.pid,
       thread = w.thread,
       reentry = 1,
       lease = w.lease,
       expires = $boot + w.lease,
       keep_until = $boot + w.at_least,
       acquired = $wall,
       value = w.value,
       served = w.ticket,
       queued = 1,
       mode = 0
  FROM (SELECT a.ticket, a.nonce, a.session, a.thread, a.lease, a.at_least, a.value, a.mode, a.names, a.priority,
               s.host, s.pid
          FROM dblock_queue a JOIN dblock_session s ON s.id = a.session
         WHERE a.name = $1 AND a.ticket > $4 AND a.token IS NULL AND a.upgrades IS NULL
           AND NOT s.dead AND (s.expires > $boot OR s.clock <> $clock)
         ORDER BY a.ticket LIMIT 1) w
 WHERE l.name = $1 AND l.token = $2 AND l.nonce = $3 AND l.served = $4
   AND w.mode = 0 AND w.names = 1 AND w.priority = 0 AND NOT l.ranked
   AND (l.session IS NOT NULL
        OR (l.expires IS NOT NULL AND (l.expires > $boot OR l.clock <> $clock)))
   AND coalesce(l.keep_until <= $boot OR l.clock <> $clock, 1)
RETURNING token, nonce,
          (SELECT w.bell FROM dblock_queue w WHERE w.name = $1 AND w.ticket = served), NULL
