-- row_value: set the value that the holder of a row's grant publishes. Nothing is done if it does not
-- hold the lock any more, or its session is dead.
-- $1 name  $2 token  $3 nonce, or NULL for whoever knows the token  $4 value or NULL
UPDATE dblock_queue
   SET value = $4
 WHERE name = $1 AND token = $2 AND nonce <> 0
   AND (nonce = $3 OR $3 IS NULL)
   AND ((expires IS NOT NULL AND (expires > $boot OR clock <> $clock))
        OR (expires IS NULL
            AND (SELECT NOT s.dead FROM dblock_session s WHERE s.id = dblock_queue.session)))
