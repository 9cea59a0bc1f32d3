-- revocation_delete: delete a revocation: the grant is over, and its holder's client knows of it.
-- $1 session  $2 name  $3 token
DELETE FROM dblock_revocation WHERE session = $1 AND name = $2 AND token = $3
