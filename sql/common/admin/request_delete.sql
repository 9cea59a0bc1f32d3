-- request_delete: forget a request for a grant that is over, which it is for good.
-- $1 host  $2 pid  $3 name  $4 token
DELETE FROM dblock_request
 WHERE host = $1 AND pid = $2 AND name = $3 AND token = $4
