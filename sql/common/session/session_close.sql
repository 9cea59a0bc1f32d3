-- session_close: our own session is over; nothing revives it.
-- $1 id
UPDATE dblock_session SET dead = true, ended = $wall
 WHERE id = $1 AND NOT dead
