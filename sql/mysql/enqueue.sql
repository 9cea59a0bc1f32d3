-- enqueue: join the line of a lock; a row with the ticket, or none if our own session is dead.
-- $1 name  $2 nonce  $3 own session  $4 thread  $5 lease us or NULL  $6 minimum hold us or NULL
-- $7 value or NULL  $8 where to ring
-- The ticket, which the server counts, comes back as the LAST_INSERT_ID.
INSERT INTO dblock_waiter (name, nonce, session, thread, lease, at_least, value, bell, since)
SELECT $1, $2, me.id, $4, $5, $6, $7, $8, CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED)
  FROM dblock_session me
 WHERE me.id = $3 AND NOT me.dead
