-- fence_row_write: as fence_write, for a grant that has a row in dblock_queue.
-- $1 name  $2 ticket  $3 nonce
UPDATE dblock_queue SET fenced = fenced + 1
 WHERE name = $1 AND ticket = $2 AND nonce = $3 AND token IS NOT NULL
