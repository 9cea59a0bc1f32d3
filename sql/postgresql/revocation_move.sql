-- revocation_move: a client has begun a new session: what it has to be told of it is told there. (Who
-- takes a lease away tells each session of its holder's process: it may be there already.)
-- $1 session of before  $2 new session
WITH moved AS (
	DELETE FROM dblock_revocation WHERE session = $1::text RETURNING *)
INSERT INTO dblock_revocation (session, name, token, nonce, cause, by_host, by_pid, by_app, since, told)
SELECT $2::text, m.name, m.token, m.nonce, m.cause, m.by_host, m.by_pid, m.by_app, m.since, m.told
  FROM moved m
ON CONFLICT (session, name, token) DO NOTHING
