-- join_behind: join the queue of a lock, to hold it alone, behind two others, as whoever has just handed it
-- over knows: the usual case of enqueue if many processes want one name. Nothing is announced, and nobody
-- looks: see join of PostgreSQL, for two others. A row with the ticket.
-- $1 name  $2 nonce  $3 own session  $4 thread  $5 lease us or NULL  $6 minimum hold us or NULL
-- $7 value or NULL  $8 address  $9 not 0: its thread does nothing else meanwhile
-- $10 own session's last beat, which only other databases look at: see enqueue
-- (Without the sub-select that an upgrade needs it takes half of enqueue's time.)
INSERT INTO dblock_queue (name, nonce, session, thread, lease, at_least, value, bell, since,
                          mode, weight, names, blocks)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED),
        0, 1, 1, $9 <> 0)
