-- fence_row_update: as fence_row_share, if the same transaction may release the grant.
-- $1 name  $2 token  $3 nonce  $4 NULL  $5 ticket
SELECT token, nonce FROM dblock_queue WHERE name = $1 AND ticket = $5 AND token IS NOT NULL
   AND $2 IS NOT NULL AND $3 IS NOT NULL AND $4 IS NULL -- compared by who asks
   FOR UPDATE SKIP LOCKED
