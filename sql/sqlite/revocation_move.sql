-- revocation_move: a client has begun a new session: what it has to be told of it is told there.
-- $1 session of before  $2 new session
UPDATE dblock_revocation SET session = $2 WHERE session = $1
