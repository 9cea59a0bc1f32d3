-- guard_raise: a resource has seen a token; a row with it, or none: it has seen a larger one.
-- $1 name of the resource  $2 token
INSERT INTO dblock_guard AS g (name, token, raised)
VALUES ($1::text, $2::bigint, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint)
ON CONFLICT (name) DO UPDATE SET token = excluded.token, raised = excluded.raised
 WHERE g.token <= excluded.token
RETURNING token
