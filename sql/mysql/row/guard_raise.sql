-- guard_raise: a resource has seen a token; a row with the largest one that it has seen.
-- $1 name of the resource  $2 token
-- The time makes it a change where the token is the one that it has seen before; assignments run from left to
-- right and see new values.
INSERT INTO dblock_guard (name, token, raised)
VALUES ($1, $2, CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED))
ON DUPLICATE KEY UPDATE
  raised = IF(dblock_guard.token <= $2,
              GREATEST(dblock_guard.raised + 1, CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED)),
              dblock_guard.raised),
  token = GREATEST(dblock_guard.token, $2)
-- answer
-- guard_raise: answer: the row is locked by now, and is read as it is, whatever the transaction has seen before.
SELECT token FROM dblock_guard WHERE name = $1 LOCK IN SHARE MODE
