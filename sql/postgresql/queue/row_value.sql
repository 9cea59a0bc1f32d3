-- row_value: a holder that a row of the line carries changes what it says. Nothing is done if it does not
-- hold the lock any more, or its session is dead.
-- $1 name  $2 token  $3 nonce, or NULL for whoever knows the token  $4 value or NULL
UPDATE dblock_queue
   SET value = $4::text
 WHERE name = $1::text AND token = $2::bigint AND nonce <> 0
   AND ($3::bigint IS NULL OR nonce = $3::bigint)
   AND (expires > (extract(epoch FROM clock_timestamp()) * 1000000)::bigint
        OR (expires IS NULL
            AND EXISTS (SELECT 1 FROM dblock_session s WHERE s.id = dblock_queue.session AND NOT s.dead)))
