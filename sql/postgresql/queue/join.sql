-- join: join the line of a lock, to have it alone, and say so, in one; and see who has it, as with look.
-- No row: the name is not known, or our own session is dead.
-- $1 name  $2 nonce  $3 own session  $4 thread  $5 lease us or NULL  $6 minimum hold us or NULL
-- $7 value or NULL  $8 where to ring  $9 not 0: its thread does nothing else meanwhile
-- The lock's row is had before the ticket is drawn: so tickets are in the order in which they can be seen,
-- and what is seen of the lock is how it is when we are in line. Where two others wait already, and that is
-- known, there is nothing to say: whoever hands the lock over now finds one of them, and who does so next
-- finds us as well. Then the row is left alone, for which the one who hands it over would have to wait.
-- (That fails if both are gone by then. Then the row does not say that anybody waits, and who waits finds
-- that with his next look, and says so.) Nobody waits until it is on the disk: see announce.
WITH l AS (
  UPDATE dblock_lock AS u
     SET queued = true, queue_version = queue_version + 65536
   WHERE name = $1::text
     AND EXISTS (SELECT 1 FROM dblock_session me WHERE me.id = $3::text AND NOT me.dead)
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
    JOIN dblock_session me ON me.id = $3::text AND NOT me.dead
    LEFT JOIN l ON true
   WHERE x.name = $1::text AND set_config('synchronous_commit', 'off', true) = 'off'
  RETURNING q.ticket)
SELECT 1 AS found, k.token, k.nonce, k.session, k.expires, k.lease,
       k.expires - c.now AS lease_left, k.queued::int AS queued,
       s.dead::int AS dead, s.beat, s.ttl, s.expires - c.now AS session_left, k.host, k.pid,
       1 AS own, k.served, w.ticket, c.now, k.mode::bigint AS mode,
       NULL::bigint AS row_token, NULL::bigint AS row_left, k.thread, NULL::bigint AS watch
  FROM w
 CROSS JOIN (SELECT * FROM l
             UNION ALL
             SELECT x.* FROM dblock_lock x
              WHERE x.name = $1::text AND NOT EXISTS (SELECT 1 FROM l)) k
 CROSS JOIN (SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS now) c
  LEFT JOIN dblock_session s ON s.id = k.session
