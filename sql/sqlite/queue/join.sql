-- join: join the queue of a lock, to hold it alone, announce that, and look who has it, in one
-- transaction. No row: the name is not known, or our own session is dead, or this is an older copy.
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
 WHERE l.name = $1
   AND EXISTS (SELECT 1 FROM dblock_session me WHERE me.id = $3 AND NOT me.dead AND me.beat >= $10)
-- and
-- join: and the announcement and the look
UPDATE dblock_lock
   SET queued = 1, queue_version = queue_version + 65536
 WHERE name = $1
RETURNING 1, token, nonce, session, expires, lease,
          CASE WHEN clock = $clock THEN expires - $boot END,
          1,
          (SELECT s.dead FROM dblock_session s WHERE s.id = dblock_lock.session),
          (SELECT s.beat FROM dblock_session s WHERE s.id = dblock_lock.session),
          (SELECT s.ttl FROM dblock_session s WHERE s.id = dblock_lock.session),
          (SELECT s.expires - $boot FROM dblock_session s
            WHERE s.id = dblock_lock.session AND s.clock = $clock),
          host, pid, 1, served,
          (SELECT max(w.ticket) FROM dblock_queue w WHERE w.name = $1 AND w.nonce = $2),
          $boot, mode, NULL, NULL, thread, NULL,
          (SELECT s.mark FROM dblock_session s WHERE s.id = dblock_lock.session),
          EXISTS (SELECT 1 FROM dblock_queue f
                   WHERE f.name = $1 AND f.token IS NULL AND f.ticket > served AND f.nonce <> $2)
          + EXISTS (SELECT 1 FROM dblock_queue f
                     WHERE f.name = $1 AND f.token IS NULL AND f.ticket > served AND f.nonce <> $2
                     LIMIT 1 OFFSET 1)
