-- session_close: mark our own session dead; nothing revives it.
-- $1 id  $2 $3 the beats one of which we have written last: see heartbeat
UPDATE dblock_session SET dead = true, ended = $wall
 WHERE id = $1 AND NOT dead AND beat IN ($2, $3)
