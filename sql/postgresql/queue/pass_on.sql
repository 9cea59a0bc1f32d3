-- pass_on: end a grant that came through the queue, and give the lock to the first in it: the usual case of
-- hand_over, for a third of its cost. A row with the new token, its nonce and its address. None: nobody
-- waits, or somebody with a priority, or the first is not to have the lock alone, or may be dead, or somebody
-- has left: hand_over.
-- $1 name  $2 token  $3 nonce  $4 ticket by which this grant came: the last one that was served
-- The first is read in the statement's snapshot, and so is queue_version: if nobody has left since, he is
-- still there when the lock's row is written.
-- Others may wait behind the first, so `queued` says that they do: hand_over finds if that is not so.
-- The new holder may need more durability than the old one: the commit is as durable as 'on', unless its
-- session says that it need not be (see session_open).
UPDATE dblock_lock AS l
   SET token = greatest(l.token + 1, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint),
       nonce = w.nonce,
       session = CASE WHEN w.lease IS NULL THEN w.session END,
       host = s.host,
       pid = s.pid,
       thread = w.thread,
       reentry = 1,
       lease = w.lease,
       expires = (extract(epoch FROM clock_timestamp()) * 1000000)::bigint + w.lease,
       keep_until = (extract(epoch FROM clock_timestamp()) * 1000000)::bigint + w.at_least,
       acquired = (extract(epoch FROM clock_timestamp()) * 1000000)::bigint,
       value = w.value,
       served = w.ticket,
       queued = true,
       mode = CASE WHEN s.protocol & 2 <> 0 OR current_setting('synchronous_commit') IN ('on', 'remote_apply')
                        OR set_config('synchronous_commit', 'on', true) = 'on' THEN 0 END
  FROM (SELECT a.ticket, a.nonce, a.session, a.thread, a.lease, a.at_least, a.value, a.bell, a.mode, a.names, a.priority
          FROM dblock_queue a
         WHERE a.name = $1::text AND a.ticket > $4::bigint AND a.token IS NULL AND a.upgrades IS NULL
         ORDER BY a.ticket LIMIT 1) w
  JOIN dblock_session s ON s.id = w.session AND NOT s.dead
       AND s.expires > (extract(epoch FROM clock_timestamp()) * 1000000)::bigint
 WHERE l.name = $1::text AND l.token = $2::bigint AND l.nonce = $3::bigint AND l.served = $4::bigint
   AND l.queue_version % 65536 = (SELECT x.queue_version % 65536 FROM dblock_lock x WHERE x.name = $1::text)
   AND w.mode = 0 AND w.names = 1 AND w.priority = 0 AND NOT l.ranked
   AND (l.session IS NOT NULL OR l.expires > (extract(epoch FROM clock_timestamp()) * 1000000)::bigint)
   AND coalesce(l.keep_until <= (extract(epoch FROM clock_timestamp()) * 1000000)::bigint, true)
RETURNING l.token, l.nonce, w.bell, NULL::int
