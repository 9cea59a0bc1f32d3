-- bury: declare a session dead that was seen with the same heartbeat for its whole ttl, or whose process has
-- ended. A heartbeat changes beat, so this and a renewal cannot both succeed.
-- $1 id  $2 beat  $3 ttl, as seen
-- for the event: $4 name of the lock that it is done for, or empty  $5 its token, or 0
-- $6 host  $7 pid  $8 app of who does it  $9 kind of the event
UPDATE dblock_session SET dead = true, ended = $wall
 WHERE id = $1 AND beat = $2 AND ttl = $3 AND NOT dead
-- also
-- bury: also the event of it
INSERT INTO dblock_event
  (at, kind, name, token, host, pid, app, session, by_host, by_pid, by_app, detail)
SELECT $wall, $9, $4, $5, s.host, s.pid, s.app, s.id, $6, $7, $8, ''
  FROM dblock_session s
 WHERE s.id = $1
