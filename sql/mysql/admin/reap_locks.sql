-- reap_locks: locks held by dead sessions, leases that have ended, and what is free with a line, a page
-- in order of name. (With EXISTS MariaDB would read all sessions for each page.)
-- $1 only names after this one  $2 at most so many
SELECT l.name, l.token, l.session, l.expires, l.queued
  FROM (SELECT CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED) AS now) c
  JOIN dblock_lock l ON l.name > $1
  LEFT JOIN dblock_session s ON s.id = l.session
 WHERE s.dead OR l.expires <= c.now OR (l.queued AND l.session IS NULL AND l.expires IS NULL)
 ORDER BY l.name
 LIMIT $2
