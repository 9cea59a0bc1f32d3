-- reap_locks: locks held by dead sessions, and leases that have ended, a page in order of name.
-- $1 only names after this one  $2 at most so many
SELECT l.name, l.token, l.session, l.expires
  FROM dblock_lock l
  LEFT JOIN dblock_session s ON s.id = l.session
 WHERE l.name > $1 AND (s.dead OR (l.expires <= $boot AND l.clock = $clock))
 ORDER BY l.name
 LIMIT $2
