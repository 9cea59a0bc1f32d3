-- set_value: set the value that the holder publishes with its lock. Nothing is done if that grant does
-- not hold it any more, or its session is dead.
-- $1 name  $2 token  $3 nonce, or NULL for whoever knows the token  $4 value or NULL
UPDATE dblock_lock
   SET value = $4
 WHERE name = $1 AND token = $2 AND nonce <> 0
   AND (nonce = $3 OR $3 IS NULL)
   AND ((expires IS NOT NULL AND (expires > $boot OR clock <> $clock))
        OR (SELECT NOT s.dead FROM dblock_session s WHERE s.id = dblock_lock.session))
