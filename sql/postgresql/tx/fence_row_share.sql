-- fence_row_share: as fence_share, for a grant that has a row in dblock_queue: shared, update, permits.
-- $1 name  $2 ticket
SELECT q.token, q.nonce FROM dblock_queue q
 WHERE q.name = $1::text AND q.ticket = $2::bigint AND q.token IS NOT NULL
   FOR SHARE SKIP LOCKED
