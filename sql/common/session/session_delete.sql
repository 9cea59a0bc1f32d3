-- session_delete: delete a session that nothing names: our own at close, or one that is dead.
-- $1 id
DELETE FROM dblock_session WHERE id = $1
