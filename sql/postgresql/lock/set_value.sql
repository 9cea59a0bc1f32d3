-- set_value: the holder changes what it says about its lock. Nothing is done if that grant does not
-- hold it any more, or its session is dead.
-- $1 name  $2 token  $3 nonce, or NULL for whoever knows the token  $4 value or NULL

UPDATE dblock_lock l
   SET value = $4::text
 WHERE l.name = $1::text AND l.token = $2::bigint AND l.nonce <> 0
   AND ($3::bigint IS NULL OR l.nonce = $3::bigint)
   AND (l.expires > (extract(epoch FROM clock_timestamp()) * 1000000)::bigint
        OR EXISTS (SELECT 1 FROM dblock_session s WHERE s.id = l.session AND NOT s.dead))
