-- quorum_raise: a member confirms its vote, at a token as large as any that another member has given; a row with
-- it, or none: it does not vote for that nonce any more, or not under that epoch.
-- $1 name  $2 nonce  $3 token  $4 the cluster's random number  $5 its epoch
-- Never lower: a copy of this that comes late finds a larger token, and changes nothing. Above
-- dblock_floor's, which a grant in this member's line need not be.
UPDATE dblock_lock AS l
   SET token = greatest($3::bigint, (SELECT f.token FROM dblock_floor f WHERE f.id = 1) + 1)
  FROM (SELECT q.id FROM dblock_quorum q
         WHERE q.id = 1 AND q.identity = $4::text AND q.epoch = $5::bigint AND q.state = 1
           FOR SHARE) v
 WHERE l.name = $1::text AND l.nonce = $2::bigint AND l.token <= $3::bigint AND l.mode = 0
   AND (l.session IS NOT NULL OR l.expires > (extract(epoch FROM clock_timestamp()) * 1000000)::bigint)
RETURNING l.token
