-- row_extend: give a row's lease that has not ended a new end, counted from now.
-- $1 name  $2 token  $3 nonce, or NULL for whoever knows the token  $4 lease us
UPDATE dblock_queue
   SET lease = $4, expires = CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED) + $4, token = LAST_INSERT_ID(token)
 WHERE name = $1 AND token = $2 AND nonce <> 0 AND ($3 IS NULL OR nonce = $3)
   AND expires > CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED)
