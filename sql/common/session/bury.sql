-- bury: declare a session dead that was seen with the same heartbeat for its whole ttl, or whose process has
-- ended. A heartbeat changes beat, so this and a renewal cannot both succeed.
-- $1 id  $2 beat  $3 ttl, as seen
UPDATE dblock_session SET dead = true, ended = $wall
 WHERE id = $1 AND beat = $2 AND ttl = $3 AND NOT dead
