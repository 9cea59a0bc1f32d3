-- extend: give a lease that has not ended a new end, counted from now.
-- $1 name  $2 token  $3 nonce, or NULL for whoever knows the token  $4 lease us

UPDATE dblock_lock l
   SET lease = $4::bigint, expires = (extract(epoch FROM clock_timestamp()) * 1000000)::bigint + $4::bigint
 WHERE l.name = $1::text AND l.token = $2::bigint AND l.nonce <> 0
   AND ($3::bigint IS NULL OR l.nonce = $3::bigint)
   AND l.session IS NULL AND l.expires > (extract(epoch FROM clock_timestamp()) * 1000000)::bigint
RETURNING l.token
