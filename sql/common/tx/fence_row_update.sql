-- fence_row_update: as fence_row_share, if the same transaction may release the grant.
-- $1 name  $2 ticket
SELECT token, nonce FROM dblock_queue WHERE name = $1 AND ticket = $2 AND token IS NOT NULL
   FOR UPDATE SKIP LOCKED
