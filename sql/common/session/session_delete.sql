-- session_delete: delete a session that no row names: our own at close, or a dead one.
-- $1 id
DELETE FROM dblock_session WHERE id = $1
