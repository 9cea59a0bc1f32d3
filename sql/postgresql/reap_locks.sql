-- reap_locks: locks held by dead sessions, and leases that have ended, a page in order of name.
-- $1 only names after this one  $2 at most so many
SELECT l.name, l.token, l.session, l.expires
  FROM (SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS now) c
  JOIN dblock_lock l ON l.name > $1::text
  LEFT JOIN dblock_session s ON s.id = l.session
 WHERE s.dead OR l.expires <= c.now
 ORDER BY l.name
 LIMIT $2::bigint
