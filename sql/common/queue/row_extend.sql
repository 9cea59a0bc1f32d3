-- row_extend: give a row's lease that has not ended a new end, counted from now.
-- $1 name  $2 token  $3 nonce, or NULL for whoever knows the token  $4 lease us
UPDATE dblock_queue
   SET lease = $4, expires = $boot + $4
 WHERE name = $1 AND token = $2 AND nonce <> 0 AND (nonce = $3 OR $3 IS NULL)
   AND expires > $boot AND clock = $clock
RETURNING token
