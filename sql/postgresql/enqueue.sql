-- enqueue: join the line of a lock; a row with the ticket, or none if our own session is dead.
-- $1 name  $2 nonce  $3 own session  $4 thread  $5 lease us or NULL  $6 minimum hold us or NULL
-- $7 value or NULL  $8 where to ring
INSERT INTO dblock_waiter AS w (name, nonce, session, thread, lease, at_least, value, bell, since)
SELECT $1::text, $2::bigint, me.id, $4::bigint, $5::bigint, $6::bigint, $7::text, $8::text,
       (extract(epoch FROM clock_timestamp()) * 1000000)::bigint
  FROM dblock_session me
 WHERE me.id = $3::text AND NOT me.dead
RETURNING w.ticket
