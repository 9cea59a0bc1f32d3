-- enqueue: join the queue of a lock; a row with the ticket.
-- $1 name  $2 nonce  $3 own session  $4 thread  $5 lease us or NULL  $6 minimum hold us or NULL
-- $7 value or NULL (then that of the grant that is upgraded)  $8 address
-- $9 mode  $10 weight  $11 capacity; NULL: what is stored  $12 nonce of the grant that is to be upgraded, or NULL
-- $13 so many names are waited for together; below 0: for any one of so many
-- $14 not 0: its thread does nothing else meanwhile
-- $15 own session's last beat, which only other databases look at  $16 priority
-- The server counts the tickets, and returns this one as the LAST_INSERT_ID. An INSERT .. SELECT would
-- keep the table's lock for AUTO_INCREMENT until its commit, so only one could run at a time. So our own
-- session may be dead, or this an older copy: the next look, or what `grant` says of the session, tells us,
-- and a hand-over skips such a row. An upgrade reads, and so locks, rows of our own session and no others.
INSERT INTO dblock_queue (name, nonce, session, thread, lease, at_least, value, bell, since,
                           mode, weight, capacity, upgrades, names, blocks, priority)
VALUES ($1, $2, $3, $4, $5, $6,
        IF($12 IS NULL, $7,
           COALESCE($7, (SELECT v.value
                           FROM (SELECT u.value FROM dblock_queue u FORCE INDEX (by_session)
                                  WHERE u.session = $3 AND u.name = $1 AND u.nonce = $12 LIMIT 1) v))),
        $8, CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED),
        $9, $10, $11, $12, $13, $14 <> 0, $16)
