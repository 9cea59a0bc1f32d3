-- row_extend: give a lease that a row carries, and that has not ended, a new end, counted from now.
-- $1 name  $2 token  $3 nonce, or NULL for whoever knows the token  $4 lease us
UPDATE dblock_queue
   SET lease = $4::bigint, expires = (extract(epoch FROM clock_timestamp()) * 1000000)::bigint + $4::bigint
 WHERE name = $1::text AND token = $2::bigint AND nonce <> 0 AND ($3::bigint IS NULL OR nonce = $3::bigint)
   AND expires > (extract(epoch FROM clock_timestamp()) * 1000000)::bigint
RETURNING token
