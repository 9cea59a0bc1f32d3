-- fence_row_share: as fence_share, for a grant that has a row in dblock_queue: shared, update, permits.
-- $1 name  $2 ticket
UPDATE dblock_queue SET token = token WHERE name = $1 AND ticket = $2 AND token IS NOT NULL
RETURNING token, nonce
