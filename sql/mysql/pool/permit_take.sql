-- permit_take: take the number of a permit that nobody has, or that a grant has which is over. Nothing is
-- changed if somebody was faster.
-- $1 name  $2 number  $3 nonce of our grant  $4 of the one that is over; 0: nobody has it
INSERT INTO dblock_permit (name, number, nonce) VALUES ($1, $2, $3)
ON DUPLICATE KEY UPDATE nonce = IF(dblock_permit.nonce = $4, $3, dblock_permit.nonce)
