-- session_dead: is a session dead, and which beat has it? No row: it is not known (any more).
-- $1 id
SELECT dead, beat FROM dblock_session WHERE id = $1
