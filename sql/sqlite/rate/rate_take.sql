-- rate_take: take some of a rate, if it allows that: a row with its counter in ns, or none. It is the generic cell rate
-- algorithm, as a leaky bucket (ATM Forum, Traffic Management 4.0, 4.4.3): the counter runs down by the time that has
-- passed since the last take, none if the clock was set back, and goes up by what is taken.
-- $1 name  $2 what is taken, ns  $3 how far the counter may go up, ns  $4 nonce: another copy of a request that was
-- counted is not counted again  $5 rate, $6 period ms, $7 burst, for people
-- $wall: the machine's clock. It is not $boot, as a bucket of one a day has to fill while the machine is off. It is read
-- when the transaction has the write lock: else who had waited for that would bring an old time, and what came since then
-- would count twice.
INSERT INTO dblock_rate AS r (name, level, taken_at, nonce, rate, period_ms, burst)
VALUES ($1, $2, $wall, $4, $5, $6, $7)
ON CONFLICT (name) DO UPDATE
   SET level = max(r.level - min(max($wall - r.taken_at, 0), 9000000000000000) * 1000, 0)
               + CASE WHEN r.nonce = excluded.nonce THEN 0 ELSE excluded.level END,
       taken_at = excluded.taken_at,
       nonce = excluded.nonce, rate = excluded.rate, period_ms = excluded.period_ms, burst = excluded.burst
 WHERE r.nonce = excluded.nonce
    OR max(r.level - min(max($wall - r.taken_at, 0), 9000000000000000) * 1000, 0) + excluded.level <= $3
-- and
-- rate_take: and: the counter.
SELECT level FROM dblock_rate WHERE name = $1
