-- fence_row_share: as fence_share, for a grant that has a row in dblock_queue: shared, update, permits.
-- $1 name  $2 token  $3 nonce  $4 NULL  $5 ticket
UPDATE dblock_queue SET token = token WHERE name = $1 AND ticket = $5 AND token IS NOT NULL
   AND $2 IS NOT NULL AND $3 IS NOT NULL AND $4 IS NULL -- compared by who asks
RETURNING token, nonce
