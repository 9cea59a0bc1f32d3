-- session_dead: is a session dead? No row: it is not known (any more).
-- $1 id
SELECT dead FROM dblock_session WHERE id = $1
