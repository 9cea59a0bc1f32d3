-- reap_locks: a page, in order of name, of locks that dead sessions hold, of leases that have ended, and
-- of free locks with a queue. (PostgreSQL would read a join with the sessions to its end for each page.)
-- $1 only names after this one  $2 at most so many
SELECT l.name, l.token, l.session, l.expires, l.queued
  FROM dblock_lock l
 WHERE l.name > $1
   AND ((l.expires <= $boot AND l.clock = $clock)
        OR (l.queued AND l.session IS NULL AND l.expires IS NULL)
        OR EXISTS (SELECT 1 FROM dblock_session d WHERE d.id = l.session AND d.dead))
 ORDER BY l.name
 LIMIT $2
