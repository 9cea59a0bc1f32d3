-- reap_locks: locks held by dead sessions, leases that have ended, and what is free with a line, a page
-- in order of name. (PostgreSQL would read a join with the sessions to its end for each page.)
-- $1 only names after this one  $2 at most so many
SELECT l.name, l.token, l.session, l.expires, l.queued
  FROM dblock_lock l
 WHERE l.name > $1
   AND ((l.expires <= $boot AND l.clock = $clock)
        OR (l.queued AND l.session IS NULL AND l.expires IS NULL)
        OR EXISTS (SELECT 1 FROM dblock_session d WHERE d.id = l.session AND d.dead))
 ORDER BY l.name
 LIMIT $2
