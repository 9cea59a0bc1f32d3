-- join: join the queue of a lock, to hold it alone, announce that, and look who has it, in one statement.
-- No row: the name is not known, or our own session is dead, or this is an older copy.
-- $1 name  $2 nonce  $3 own session  $4 thread  $5 lease us or NULL  $6 minimum hold us or NULL
-- $7 value or NULL  $8 address  $9 not 0: its thread does nothing else meanwhile
-- $10 own session's last beat: an older copy of the database does not have it
-- The lock's row is locked before the ticket is drawn: so tickets are in the order in which they become
-- visible, and the look shows the lock as it is once we are in the queue. If the row says that others
-- wait, and two do, there is nothing to announce: the next hand-over finds one of them, and the one after
-- it finds us as well. Then the row is not locked, as that hand-over would have to wait for it. (If both
-- are gone by then, the row does not say that anybody waits; a waiter finds that with its next look, and
-- announces itself.) ahead is 2 then. The commit is not waited for: see announce.
WITH l AS (
  UPDATE dblock_lock AS u
     SET queued = true, queue_version = queue_version + 65536
   WHERE name = $1::text
     AND EXISTS (SELECT 1 FROM dblock_session me WHERE me.id = $3::text AND NOT me.dead AND me.beat >= $10::bigint)
     AND NOT (u.queued
              AND EXISTS (SELECT 1 FROM dblock_queue a
                           WHERE a.name = $1::text AND a.ticket > u.served
                             AND a.token IS NULL AND a.upgrades IS NULL
                             AND (SELECT NOT b.dead FROM dblock_session b WHERE b.id = a.session)
                          OFFSET 1))
  RETURNING *),
w AS (
  INSERT INTO dblock_queue AS q (name, nonce, session, thread, lease, at_least, value, bell, since,
                                 mode, weight, names, blocks)
  SELECT coalesce(l.name, x.name), $2::bigint, me.id, $4::bigint, $5::bigint, $6::bigint, $7::text,
         $8::text, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint, 0, 1, 1, ($9::int <> 0)
    FROM dblock_lock x
    JOIN dblock_session me ON me.id = $3::text AND NOT me.dead AND me.beat >= $10::bigint
    LEFT JOIN l ON true
   WHERE x.name = $1::text AND set_config('synchronous_commit', 'off', true) = 'off'
  RETURNING q.ticket)
SELECT 1 AS found, k.token, k.nonce, k.session, k.expires, k.lease,
       k.expires - c.now AS lease_left, k.queued::int AS queued,
       s.dead::int AS dead, s.beat, s.ttl, s.expires - c.now AS session_left, k.host, k.pid,
       1 AS own, k.served, w.ticket, c.now, k.mode::bigint AS mode,
       NULL::bigint AS row_token, NULL::bigint AS row_left, k.thread, NULL::bigint AS watch,
       s.mark,
       EXISTS (SELECT 1 FROM dblock_queue f
                WHERE f.name = $1::text AND f.token IS NULL AND f.ticket > k.served)::int
       + (NOT EXISTS (SELECT 1 FROM l))::int AS ahead
  FROM w
 CROSS JOIN (SELECT * FROM l
             UNION ALL
             SELECT x.* FROM dblock_lock x
              WHERE x.name = $1::text AND NOT EXISTS (SELECT 1 FROM l)) k
 CROSS JOIN (SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS now) c
  LEFT JOIN dblock_session s ON s.id = k.session
