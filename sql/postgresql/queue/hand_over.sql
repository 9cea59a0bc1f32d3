-- hand_over: end a grant and give the lock to the first in the queue, in one statement; a row with the
-- new token, its nonce (0: nobody waits, the lock is free) and its address. None: that grant does not
-- hold it any more, or the queue has changed meanwhile (look, and try again).
-- $1 name  $2 token, as seen
-- $3 nonce of a grant that is given back; or NULL for whoever knows the token; or 0: it is not given
--    back, but free with a queue, or its lease has ended, or its holder's session is dead
-- The first is the smallest ticket above the last one served whose session is not dead; one whose session
-- looks expired is passed over for one whose does not. If the first one's wait is not for an exclusive
-- lock, or has a priority, or somebody else's priority counts (ranked), nobody gets it here: the lock is free
-- then, with a queue, and `grant` goes on. So it is, too, if rows of dblock_queue hold the lock.
-- The queue is read in the statement's snapshot, but the lock's row is written as it is by then:
-- queue_version tells whether they belong together. Those who have only joined meanwhile (65536 each) are
-- behind the first one, so they just make it true that others wait; but this reads again if it found
-- nobody, or if anybody may have left. (A join with the sessions would begin with those, if they are few,
-- and sort all waiters.)
-- The new holder may need more durability than the old one: the commit is as durable as 'on', unless its
-- session says that it need not be (see session_open).
UPDATE dblock_lock AS l
   SET token = CASE WHEN w.ticket IS NULL THEN l.token
                    ELSE greatest(l.token + 1, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint) END,
       nonce = coalesce(w.nonce, 0),
       session = CASE WHEN w.lease IS NULL THEN w.session END,
       host = coalesce(s.host, l.host),
       pid = coalesce(s.pid, l.pid),
       thread = coalesce(w.thread, l.thread),
       reentry = CASE WHEN w.ticket IS NULL THEN 0 ELSE 1 END,
       lease = w.lease,
       expires = (extract(epoch FROM clock_timestamp()) * 1000000)::bigint + w.lease,
       keep_until = (extract(epoch FROM clock_timestamp()) * 1000000)::bigint + w.at_least,
       acquired = CASE WHEN w.ticket IS NULL THEN l.acquired
                       ELSE (extract(epoch FROM clock_timestamp()) * 1000000)::bigint END,
       released = CASE WHEN w.ticket IS NULL THEN (extract(epoch FROM clock_timestamp()) * 1000000)::bigint
                       ELSE l.released END,
       value = w.value,
       served = coalesce(w.ticket, l.served),
       queued = CASE WHEN w.ticket IS NULL THEN v.ticket IS NOT NULL
                     ELSE l.queue_version <> v.queue_version
                          OR EXISTS (SELECT 1 FROM dblock_queue a
                                      WHERE a.name = $1::text AND a.ticket > w.ticket
                                        AND a.token IS NULL AND a.upgrades IS NULL) END,
       mode = CASE WHEN w.ticket IS NULL OR s.protocol & 2 <> 0
                        OR current_setting('synchronous_commit') IN ('on', 'remote_apply')
                        OR set_config('synchronous_commit', 'on', true) = 'on' THEN 0 END
  FROM (SELECT x.queue_version, x.ranked,
               coalesce((SELECT a.ticket FROM dblock_queue a
                          WHERE a.name = x.name AND a.ticket > x.served
                            AND a.token IS NULL AND a.upgrades IS NULL
                            AND (SELECT NOT b.dead AND b.expires > (extract(epoch FROM clock_timestamp()) * 1000000)::bigint
                                   FROM dblock_session b WHERE b.id = a.session)
                          ORDER BY a.ticket LIMIT 1),
                        (SELECT a.ticket FROM dblock_queue a
                          WHERE a.name = x.name AND a.ticket > x.served
                            AND a.token IS NULL AND a.upgrades IS NULL
                            AND (SELECT NOT b.dead FROM dblock_session b WHERE b.id = a.session)
                          ORDER BY a.ticket LIMIT 1)) AS ticket,
               CASE WHEN $3::bigint = 0
                    THEN EXISTS (SELECT 1 FROM dblock_queue h
                                  WHERE h.name = x.name AND h.token IS NOT NULL)
                    ELSE false END AS by_rows
          FROM dblock_lock x
         WHERE x.name = $1::text) v
  LEFT JOIN dblock_queue w ON w.name = $1::text AND w.ticket = v.ticket AND w.mode = 0
                           AND w.names = 1 AND w.priority = 0 AND NOT v.ranked
  LEFT JOIN dblock_session s ON s.id = w.session
 WHERE l.name = $1::text AND l.token = $2::bigint
   AND (l.queue_version = v.queue_version
        OR (w.ticket IS NOT NULL AND l.queue_version % 65536 = v.queue_version % 65536))
   AND ((l.nonce <> 0 AND ($3::bigint IS NULL OR l.nonce = $3::bigint)
         AND (l.session IS NOT NULL OR l.expires > (extract(epoch FROM clock_timestamp()) * 1000000)::bigint)
         AND coalesce(l.keep_until <= (extract(epoch FROM clock_timestamp()) * 1000000)::bigint, true))
        OR ((l.queued OR l.mode <> 0) AND NOT v.by_rows AND $3::bigint = 0
            AND ((l.session IS NULL AND l.expires IS NULL)
                 OR l.expires <= (extract(epoch FROM clock_timestamp()) * 1000000)::bigint
                 OR (SELECT d.dead FROM dblock_session d WHERE d.id = l.session))))
RETURNING l.token, l.nonce, w.bell, l.queued::int
