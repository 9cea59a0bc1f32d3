-- bury: declare a session dead that was seen with the same heartbeat for its whole ttl. A heartbeat
-- changes beat, so that renewal and burial cannot both succeed.
-- $1 id  $2 beat  $3 ttl, as seen
UPDATE dblock_session SET dead = true, ended = (extract(epoch FROM clock_timestamp()) * 1000000)::bigint
 WHERE id = $1::text AND beat = $2::bigint AND ttl = $3::bigint AND NOT dead
