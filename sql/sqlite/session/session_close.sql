-- session_close: our own session is over; nothing revives it.
-- $1 id
UPDATE dblock_session SET dead = 1, ended = $wall
 WHERE id = $1 AND NOT dead
