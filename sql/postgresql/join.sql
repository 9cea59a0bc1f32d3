-- join: join the line of a lock, to have it alone, and say so, in one; and see who has it, as with look.
-- No row: the name is not known, or our own session is dead.
-- $1 name  $2 nonce  $3 own session  $4 thread  $5 lease us or NULL  $6 minimum hold us or NULL
-- $7 value or NULL  $8 where to ring  $9 not 0: its thread does nothing else meanwhile
-- The lock's row is had before the ticket is drawn: so tickets are in the order in which they can be seen,
-- and what is seen of the lock is how it is when we are in line. Nobody waits until it is on the disk: see
-- announce.
WITH l AS (
  UPDATE dblock_lock
     SET queued = CASE WHEN set_config('synchronous_commit', 'off', true) = 'off' THEN true END,
         queue_version = queue_version + 65536
   WHERE name = $1::text
     AND EXISTS (SELECT 1 FROM dblock_session me WHERE me.id = $3::text AND NOT me.dead)
  RETURNING *),
w AS (
  INSERT INTO dblock_queue AS q (name, nonce, session, thread, lease, at_least, value, bell, since,
                                 mode, weight, names, blocks)
  SELECT l.name, $2::bigint, $3::text, $4::bigint, $5::bigint, $6::bigint, $7::text, $8::text,
         (extract(epoch FROM clock_timestamp()) * 1000000)::bigint, 0, 1, 1, ($9::int <> 0)
    FROM l
  RETURNING q.ticket)
SELECT 1 AS found, l.token, l.nonce, l.session, l.expires, l.lease,
       l.expires - c.now AS lease_left, 1 AS queued,
       s.dead::int AS dead, s.beat, s.ttl, s.expires - c.now AS session_left, l.host, l.pid,
       1 AS own, l.served, w.ticket, c.now, l.mode::bigint AS mode,
       NULL::bigint AS row_token, NULL::bigint AS row_left, l.thread
  FROM l
 CROSS JOIN w
 CROSS JOIN (SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS now) c
  LEFT JOIN dblock_session s ON s.id = l.session
