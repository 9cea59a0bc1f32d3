-- row_release: end a grant that has a row in dblock_queue: shared, update, permits, or one that was
-- upgraded.
-- $1 name  $2 token  $3 nonce, or NULL for whoever knows the token
DELETE FROM dblock_queue
 WHERE name = $1 AND token = $2 AND nonce <> 0 AND (nonce = $3 OR $3 IS NULL)
   AND (expires IS NULL OR expires > $boot OR clock <> $clock)
