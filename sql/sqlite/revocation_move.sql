-- revocation_move: a client has begun a new session: what it has to be told of it is told there. (Who
-- takes a lease away tells each session of its holder's process: it may be there already.)
-- $1 session of before  $2 new session
UPDATE OR IGNORE dblock_revocation SET session = $2 WHERE session = $1
