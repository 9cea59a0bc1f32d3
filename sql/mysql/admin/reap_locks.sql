-- reap_locks: a page, in order of name, of locks that dead sessions hold, of leases that have ended, and
-- of free locks with a queue. (With EXISTS MariaDB would read all sessions for each page.)
-- $1 only names after this one  $2 at most so many
SELECT l.name, l.token, l.session, l.expires, l.queued
  FROM (SELECT CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED) AS now) c
  JOIN dblock_lock l ON l.name > $1
  LEFT JOIN dblock_session s ON s.id = l.session
 WHERE s.dead OR l.expires <= c.now OR (l.queued AND l.session IS NULL AND l.expires IS NULL)
 ORDER BY l.name
 LIMIT $2
