-- quorum_raise: a member confirms its vote, at a token as large as any that another member has given; a row with
-- it, or none: it does not vote for that nonce any more, or not under that epoch.
-- $1 name  $2 nonce  $3 token  $4 the cluster's random number  $5 its epoch
-- Never lower: a copy of this that comes late finds a larger token, and changes nothing. Above
-- dblock_floor's, which a grant in this member's line need not be. It is held since now, which also makes it a
-- change where the token was that one before.
UPDATE dblock_lock
   SET acquired = GREATEST(acquired + 1, CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED)),
       token = LAST_INSERT_ID(GREATEST($3, COALESCE(
                 (SELECT f.token FROM dblock_floor f WHERE f.id = 1 LOCK IN SHARE MODE), 0) + 1))
 WHERE name = $1 AND nonce = $2 AND token <= $3 AND mode = 0
   AND (session IS NOT NULL OR expires > CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED))
   AND EXISTS (SELECT 1 FROM dblock_quorum q
                WHERE q.id = 1 AND q.identity = $4 AND q.epoch = $5 AND q.state = 1
                 LOCK IN SHARE MODE)
