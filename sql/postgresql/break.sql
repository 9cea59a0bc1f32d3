-- break: take the lock from the grant with this token; a row with the token that is now above it.
-- $1 name  $2 token

UPDATE dblock_lock l
   SET token = greatest(l.token + 1, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint),
       session = NULL, nonce = 0, reentry = 0, value = NULL, keep_until = NULL, lease = NULL,
       expires = NULL, released = (extract(epoch FROM clock_timestamp()) * 1000000)::bigint
 WHERE l.name = $1::text AND l.token = $2::bigint
   AND (l.session IS NOT NULL OR l.expires IS NOT NULL)
RETURNING l.token
