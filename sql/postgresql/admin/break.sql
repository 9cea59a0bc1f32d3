-- break: take the lock away from the grant with this token; a row with the new token, which is larger. By
-- its nonce the grant is found even if its token has grown since (src/lock/cache/local.h).
-- $1 name  $2 token  $3 nonce, or 0: go by the token only

UPDATE dblock_lock l
   SET token = greatest(l.token + 1, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint),
       session = NULL, nonce = 0, reentry = 0, value = NULL, keep_until = NULL, lease = NULL,
       expires = NULL, released = (extract(epoch FROM clock_timestamp()) * 1000000)::bigint
 WHERE l.name = $1::text AND (l.token = $2::bigint OR l.nonce = nullif($3::bigint, 0))
   AND (l.session IS NOT NULL OR l.expires IS NOT NULL)
RETURNING l.token
