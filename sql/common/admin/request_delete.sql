-- request_delete: delete a request whose grant is over.
-- $1 host  $2 pid  $3 name  $4 token
DELETE FROM dblock_request
 WHERE host = $1 AND pid = $2 AND name = $3 AND token = $4
