-- row_mode: a grant that a row carries goes on in a weaker mode.
-- $1 name  $2 token  $3 nonce  $4 mode
UPDATE dblock_queue SET mode = $4::smallint
 WHERE name = $1::text AND token = $2::bigint AND nonce = $3::bigint
   AND (expires IS NULL OR expires > (extract(epoch FROM clock_timestamp()) * 1000000)::bigint)
