-- row_release: end a grant that a row of its own carries: shared, update, permits, and what was upgraded.
-- $1 name  $2 token  $3 nonce, or NULL for whoever knows the token
DELETE FROM dblock_queue
 WHERE name = $1 AND token = $2 AND nonce <> 0 AND (nonce = $3 OR $3 IS NULL)
   AND (expires IS NULL OR expires > $boot OR clock <> $clock)
