-- session_delete: delete our own session, which no row names.
-- $1 id  $2 $3 the beats one of which we have written last: see heartbeat
DELETE FROM dblock_session WHERE id = $1 AND beat IN ($2, $3)
