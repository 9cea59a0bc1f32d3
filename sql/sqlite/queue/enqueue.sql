-- enqueue: join the queue of a lock; a row with the ticket, or none if our own session is
-- dead, or this is an older copy.
-- $1 name  $2 nonce  $3 own session  $4 thread  $5 lease us or NULL  $6 minimum hold us or NULL
-- $7 value or NULL (then that of the grant that is upgraded)  $8 address
-- $9 mode  $10 weight  $11 capacity; NULL: what is stored  $12 nonce of the grant that is to be upgraded, or NULL
-- $13 so many names are waited for together; below 0: for any one of so many
-- $14 not 0: its thread does nothing else meanwhile
-- $15 own session's last beat  $16 priority
-- There is one writer at a time, so the next ticket can be read: above those in the queue and the last
-- one served. The time is in it, so that it is never the ticket of a waiter that has left, which a grant
-- may still be meant for.
INSERT INTO dblock_queue (name, ticket, nonce, session, thread, lease, at_least, value, bell, since,
                           mode, weight, capacity, upgrades, names, blocks, priority)
SELECT $1, max($wall, 1 + coalesce((SELECT max(w.ticket) FROM dblock_queue w WHERE w.name = $1), 0),
                   1 + coalesce((SELECT l.served FROM dblock_lock l WHERE l.name = $1), 0)),
       $2, me.id, $4, $5, $6,
       coalesce($7, (SELECT u.value FROM dblock_queue u
                      WHERE u.name = $1 AND u.nonce = $12)),
       $8, $wall,
       $9, $10, $11, $12, $13, $14 <> 0, $16
  FROM dblock_session me
 WHERE me.id = $3 AND NOT me.dead AND me.beat >= $15
RETURNING ticket
