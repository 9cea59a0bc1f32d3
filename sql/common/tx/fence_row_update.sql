-- fence_row_update: as fence_row_share, for who is to release it in the same transaction.
-- $1 name  $2 ticket
SELECT token, nonce FROM dblock_queue WHERE name = $1 AND ticket = $2 AND token IS NOT NULL
   FOR UPDATE SKIP LOCKED
