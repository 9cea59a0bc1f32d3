-- enqueue: join the line of a lock; a row with the ticket.
-- $1 name  $2 nonce  $3 own session  $4 thread  $5 lease us or NULL  $6 minimum hold us or NULL
-- $7 value or NULL (then that of the grant that is upgraded)  $8 where to ring
-- $9 mode  $10 weight  $11 capacity or NULL  $12 nonce of the grant that is to be upgraded, or NULL
-- $13 of so many names at once  $14 not 0: its thread does nothing else meanwhile
-- The ticket, which the server counts, comes back as the LAST_INSERT_ID. It is no INSERT .. SELECT: that
-- would keep the whole table's lock for AUTO_INCREMENT up to its commit, one after the other. So whether
-- our own session is dead is not asked: who looks next is told, and who hands over passes such a row by.
-- What is read, by an upgrade, is locked: rows of our own session and no others.
INSERT INTO dblock_queue (name, nonce, session, thread, lease, at_least, value, bell, since,
                           mode, weight, capacity, upgrades, names, blocks)
VALUES ($1, $2, $3, $4, $5, $6,
        IF($12 IS NULL, $7,
           COALESCE($7, (SELECT v.value
                           FROM (SELECT u.value FROM dblock_queue u FORCE INDEX (by_session)
                                  WHERE u.session = $3 AND u.name = $1 AND u.nonce = $12 LIMIT 1) v))),
        $8, CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED),
        $9, $10, $11, $12, $13, $14 <> 0)
