-- bury: declare a session dead that was seen with the same heartbeat for its whole ttl, or whose process has
-- ended. A heartbeat changes beat, so this and a renewal cannot both succeed.
-- The commit is not waited for: what anybody is granted by it is committed after it.
-- $1 id  $2 beat  $3 ttl, as seen
-- for the event: $4 name of the lock that it is done for, or empty  $5 its token, or 0
-- $6 host  $7 pid  $8 app of who does it  $9 kind of the event
WITH s AS (
  UPDATE dblock_session
     SET dead = set_config('synchronous_commit', 'off', true) = 'off',
         ended = (extract(epoch FROM clock_timestamp()) * 1000000)::bigint
   WHERE id = $1::text AND beat = $2::bigint AND ttl = $3::bigint AND NOT dead
  RETURNING id, host, pid, app, ended)
INSERT INTO dblock_event
  (at, kind, name, token, host, pid, app, session, by_host, by_pid, by_app, detail)
SELECT s.ended, $9::smallint, $4::text, $5::bigint, s.host, s.pid, s.app, s.id,
       $6::text, $7::bigint, $8::text, ''
  FROM s
