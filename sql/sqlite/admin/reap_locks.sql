-- reap_locks: locks held by dead sessions, leases that have ended, and what is free with a line, a page
-- in order of name.
-- $1 only names after this one  $2 at most so many
SELECT l.name, l.token, l.session, l.expires, l.queued
  FROM dblock_lock l
  LEFT JOIN dblock_session s ON s.id = l.session
 WHERE l.name > $1 AND (s.dead OR (l.expires <= $boot AND l.clock = $clock)
                     OR (l.queued AND l.session IS NULL AND l.expires IS NULL))
 ORDER BY l.name
 LIMIT $2
