-- rate_take: take some of a rate, if it allows that: a row with its counter in ns, or none. It is the generic cell rate
-- algorithm, as a leaky bucket (ATM Forum, Traffic Management 4.0, 4.4.3): the counter runs down by the time that has
-- passed since the last take, none if the clock was set back, and goes up by what is taken.
-- $1 name  $2 what is taken, ns  $3 how far the counter may go up, ns  $4 nonce: another copy of a request that was
-- counted is not counted again  $5 rate, $6 period ms, $7 burst, for people
-- LAST_INSERT_ID() returns the counter; if it is called and nothing is changed, the name is known and the rate used up.
-- Assignments run from left to right and see new values: taken_at is not before the time by which the counter ran down, so
-- no time counts twice.
UPDATE dblock_rate
   SET level = LAST_INSERT_ID(GREATEST(level - LEAST(GREATEST(CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED) - taken_at, 0), 9000000000000000) * 1000, 0)
                              + IF(nonce = $4, 0, $2)),
       taken_at = CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED),
       nonce = $4, rate = $5, period_ms = $6, burst = $7
 WHERE name = $1
   AND IF(LAST_INSERT_ID(1) > 0,
          nonce = $4
          OR GREATEST(level - LEAST(GREATEST(CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED) - taken_at, 0), 9000000000000000) * 1000, 0) + $2 <= $3,
          FALSE)
-- else
-- rate_take: else: the first one of that name. If somebody else was quicker, nothing is changed.
INSERT INTO dblock_rate (name, level, taken_at, nonce, rate, period_ms, burst)
VALUES ($1, LAST_INSERT_ID($2), CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED), $4, $5, $6, $7)
ON DUPLICATE KEY UPDATE name = dblock_rate.name
