-- bury: declare a session dead that was seen with the same heartbeat for its whole ttl, or whose process has
-- ended. A heartbeat changes beat, so this and a renewal cannot both succeed.
-- The commit is not waited for: what anybody is granted by it is committed after it.
-- $1 id  $2 beat  $3 ttl, as seen
UPDATE dblock_session
   SET dead = set_config('synchronous_commit', 'off', true) = 'off',
       ended = (extract(epoch FROM clock_timestamp()) * 1000000)::bigint
 WHERE id = $1::text AND beat = $2::bigint AND ttl = $3::bigint AND NOT dead
