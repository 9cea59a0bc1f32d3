-- session_close: our own session is over; nothing revives it.
-- $1 id
UPDATE dblock_session SET dead = TRUE, ended = CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED)
 WHERE id = $1 AND NOT dead
