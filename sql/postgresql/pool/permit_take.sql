-- permit_take: take the number of a permit that nobody has, or that a grant has which is over. Nothing is
-- changed if somebody was faster.
-- $1 name  $2 number  $3 nonce of our grant  $4 of the one that is over; 0: nobody has it
INSERT INTO dblock_permit AS p (name, number, nonce) VALUES ($1::text, $2::bigint, $3::bigint)
ON CONFLICT (name, number) DO UPDATE SET nonce = excluded.nonce WHERE p.nonce = $4::bigint
