-- row_mode: a grant that a row carries goes on in a weaker mode. A copy that comes late finds the mode
-- changed, and changes nothing.
-- $1 name  $2 token  $3 nonce  $4 mode  $5 mode as it was
UPDATE dblock_queue SET mode = $4::smallint
 WHERE name = $1::text AND token = $2::bigint AND nonce = $3::bigint AND mode = $5::smallint
   AND (expires IS NULL OR expires > (extract(epoch FROM clock_timestamp()) * 1000000)::bigint)
