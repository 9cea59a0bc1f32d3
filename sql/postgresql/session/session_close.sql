-- session_close: our own session is over; nothing revives it.
-- $1 id
UPDATE dblock_session SET dead = true, ended = (extract(epoch FROM clock_timestamp()) * 1000000)::bigint
 WHERE id = $1::text AND NOT dead
