-- session_close: mark our own session dead; nothing revives it.
-- $1 id
UPDATE dblock_session SET dead = true, ended = $wall
 WHERE id = $1 AND NOT dead
