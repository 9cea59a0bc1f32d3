-- rate_return: give back what a call took, if nobody has taken any since: what was booked behind it keeps its turn.
-- $1 name  $2 what was taken, ns  $3 nonce
UPDATE dblock_rate
   SET level = CASE WHEN level > $2 THEN level - $2 ELSE 0 END, nonce = 0
 WHERE name = $1 AND nonce = $3
