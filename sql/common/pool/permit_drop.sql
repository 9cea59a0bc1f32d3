-- permit_drop: the number of a permit whose grant is over is nobody's.
-- $1 name  $2 number  $3 nonce
DELETE FROM dblock_permit WHERE name = $1 AND number = $2 AND nonce = $3
