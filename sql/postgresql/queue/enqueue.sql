-- enqueue: join the queue of a lock; a row with the ticket, or none if our own session is
-- dead, or this is an older copy.
-- $1 name  $2 nonce  $3 own session  $4 thread  $5 lease us or NULL  $6 minimum hold us or NULL
-- $7 value or NULL (then that of the grant that is upgraded)  $8 address
-- $9 mode  $10 weight  $11 capacity; NULL: what is stored  $12 nonce of the grant that is to be upgraded, or NULL
-- $13 so many names are waited for together; below 0: for any one of so many
-- $14 not 0: its thread does nothing else meanwhile
-- $15 own session's last beat  $16 priority
-- The commit is not waited for: see announce.
INSERT INTO dblock_queue AS w (name, nonce, session, thread, lease, at_least, value, bell, since,
                                mode, weight, capacity, upgrades, names, blocks, priority)
SELECT $1::text, $2::bigint, me.id, $4::bigint, $5::bigint, $6::bigint,
       coalesce($7::text, (SELECT u.value FROM dblock_queue u
                      WHERE u.name = $1::text AND u.nonce = $12::bigint)),
       $8::text,
       (extract(epoch FROM clock_timestamp()) * 1000000)::bigint,
       $9::smallint, $10::bigint, $11::bigint, $12::bigint, $13::bigint, ($14::int <> 0), $16::smallint
  FROM dblock_session me
 WHERE me.id = $3::text AND NOT me.dead AND me.beat >= $15::bigint
   AND set_config('synchronous_commit', 'off', true) = 'off'
RETURNING w.ticket
