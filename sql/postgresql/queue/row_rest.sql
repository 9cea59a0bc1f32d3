-- row_rest: release such a grant before its minimum hold is over: until then it stays taken.
-- $1 name  $2 token  $3 nonce, or NULL for whoever knows the token
UPDATE dblock_queue
   SET nonce = 0, value = NULL, lease = keep_until - (extract(epoch FROM clock_timestamp()) * 1000000)::bigint, expires = keep_until
 WHERE name = $1::text AND token = $2::bigint AND nonce <> 0 AND ($3::bigint IS NULL OR nonce = $3::bigint)
   AND (expires IS NULL OR expires > (extract(epoch FROM clock_timestamp()) * 1000000)::bigint) AND keep_until > (extract(epoch FROM clock_timestamp()) * 1000000)::bigint
