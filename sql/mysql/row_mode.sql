-- row_mode: a grant that a row carries goes on in a weaker mode.
-- $1 name  $2 token  $3 nonce  $4 mode
UPDATE dblock_queue SET mode = $4
 WHERE name = $1 AND token = $2 AND nonce = $3
   AND (expires IS NULL OR expires > CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED))
