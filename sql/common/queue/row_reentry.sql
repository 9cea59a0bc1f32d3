-- row_reentry: how often the holder has acquired it, for people.
-- $1 name  $2 token  $3 nonce  $4 count
UPDATE dblock_queue SET reentry = $4
 WHERE name = $1 AND token = $2 AND nonce = $3
