-- fence_row_update: as fence_row_share, if the same transaction may release the grant.
-- $1 name  $2 ticket
UPDATE dblock_queue SET token = token WHERE name = $1 AND ticket = $2 AND token IS NOT NULL
RETURNING token, nonce
