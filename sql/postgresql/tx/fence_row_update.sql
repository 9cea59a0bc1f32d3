-- fence_row_update: as fence_row_share, for who is to release it in the same transaction.
-- $1 name  $2 ticket
SELECT q.token, q.nonce FROM dblock_queue q
 WHERE q.name = $1::text AND q.ticket = $2::bigint AND q.token IS NOT NULL
   FOR UPDATE SKIP LOCKED
