-- enter: take a lock in a mode that several may hold, where nobody waits, and all who hold it go together with
-- that: the usual case of line, enqueue and grant, in one transaction. A row with the token. None: it is not
-- so, or somebody may be dead, or a lease over, or the name is not known, or our own session is dead, or this
-- is an older copy: read line, and decide.
-- $1 name  $2 nonce  $3 own session  $4 thread  $5 lease us or NULL  $6 minimum hold us or NULL
-- $7 value or NULL  $8 mode (not exclusive)  $9 weight  $10 capacity; NULL: what is stored
-- $11 not 0: its thread does nothing else meanwhile
-- $12 own session's last beat: an older copy of the database does not have it
-- Who goes together with whom: grant_policy.h. `served` stays, as the row's ticket has not waited. There is one
-- writer at a time, so nothing changes between what is read and what is written.
UPDATE dblock_lock
   SET mode = 1, token = max(token + 1, $wall), queue_version = queue_version + 1, acquired = $wall
 WHERE name = $1 AND session IS NULL AND expires IS NULL AND NOT queued
   AND EXISTS (SELECT 1 FROM dblock_session me WHERE me.id = $3 AND NOT me.dead AND me.beat >= $12)
   AND NOT EXISTS (
         SELECT 1 FROM dblock_queue q LEFT JOIN dblock_session s ON s.id = q.session
          WHERE q.name = $1
            AND CASE WHEN q.token IS NULL THEN q.ticket > dblock_lock.served OR q.upgrades IS NOT NULL
                     WHEN q.expires IS NULL AND coalesce(s.dead, 1) THEN 1
                     WHEN q.expires <= $boot OR (q.expires IS NOT NULL AND q.clock <> $clock) THEN 1
                     WHEN q.mode = 3 THEN $8 <> 3 OR (dblock_lock.capacity IS NULL AND q.capacity <> $10)
                     ELSE $8 = 3 OR q.mode = 0 OR (q.mode = 2 AND $8 = 2) END)
   AND ($8 <> 3
        OR ($9 + (SELECT coalesce(sum(q.weight), 0) FROM dblock_queue q WHERE q.name = $1 AND q.token IS NOT NULL)
            <= coalesce(capacity, $10)
            AND coalesce($10 = capacity, 1)))
-- and
-- enter: and the row that holds it. For the ticket see enqueue.
INSERT INTO dblock_queue (name, ticket, nonce, session, thread, lease, at_least, value, bell, since, mode, weight,
                          capacity, blocks, token, acquired, expires, keep_until, clock, host, pid)
SELECT $1, max($wall, 1 + coalesce((SELECT max(w.ticket) FROM dblock_queue w WHERE w.name = $1), 0), 1 + l.served),
       $2, me.id, $4, $5, $6, $7, '', $wall, $8, $9,
       $10, $11 <> 0, l.token, $wall, $boot + $5, $boot + $6, $clock, me.host, me.pid
  FROM dblock_lock l JOIN dblock_session me ON me.id = $3
 WHERE l.name = $1
RETURNING token
