-- join_behind: join the queue of a lock, to hold it alone, behind two others: the usual case of join if many
-- processes want one name. Nothing is announced, and nobody looks: see join of PostgreSQL, for two others. A
-- row with the ticket; none: there are no two, or the name is not known, or our own session is dead, or this
-- is an older copy.
-- $1 name  $2 nonce  $3 own session  $4 thread  $5 lease us or NULL  $6 minimum hold us or NULL
-- $7 value or NULL  $8 address  $9 not 0: its thread does nothing else meanwhile
-- $10 own session's last beat: an older copy of the database does not have it
-- For the ticket see enqueue.
INSERT INTO dblock_queue (name, ticket, nonce, session, thread, lease, at_least, value, bell, since,
                          mode, weight, names, blocks)
SELECT $1, max($wall, 1 + coalesce((SELECT max(w.ticket) FROM dblock_queue w WHERE w.name = $1), 0),
                   1 + l.served),
       $2, $3, $4, $5, $6, $7, $8, $wall, 0, 1, 1, $9 <> 0
  FROM dblock_lock l
 WHERE l.name = $1 AND l.queued
   AND (SELECT a.ticket FROM dblock_queue a
         WHERE a.name = $1 AND a.ticket > l.served AND a.token IS NULL AND a.upgrades IS NULL
         ORDER BY a.ticket LIMIT 1 OFFSET 1) IS NOT NULL
   AND EXISTS (SELECT 1 FROM dblock_session me WHERE me.id = $3 AND NOT me.dead AND me.beat >= $10)
RETURNING ticket
