-- rate_take: take some of a rate, if it allows that: a row with its counter in ns, or none. It is the generic cell rate
-- algorithm, as a leaky bucket (ATM Forum, Traffic Management 4.0, 4.4.3): the counter runs down by the time that has
-- passed since the last take, none if the clock was set back, and goes up by what is taken.
-- $1 name  $2 what is taken, ns  $3 how far the counter may go up, ns  $4 nonce: another copy of a request that was
-- counted is not counted again  $5 rate, $6 period ms, $7 burst, for people
-- A refusal is seen by a read, which locks and writes nothing; what that has not seen yet, DO UPDATE sees. The clock is
-- read again there, as it may have waited for the row; and for taken_at last, columns being computed in their order: so no
-- time counts twice.
INSERT INTO dblock_rate AS r (name, level, taken_at, nonce, rate, period_ms, burst)
SELECT $1::text, $2::bigint, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint, $4::bigint, $5::bigint, $6::bigint, $7::bigint
 WHERE (SELECT o.nonce = $4::bigint
               OR greatest(o.level - least(greatest((extract(epoch FROM clock_timestamp()) * 1000000)::bigint - o.taken_at, 0), 9000000000000000) * 1000, 0)
                  + $2::bigint <= $3::bigint
          FROM dblock_rate o WHERE o.name = $1::text) IS NOT FALSE
ON CONFLICT (name) DO UPDATE
   SET level = greatest(r.level - least(greatest((extract(epoch FROM clock_timestamp()) * 1000000)::bigint - r.taken_at, 0), 9000000000000000) * 1000, 0)
               + CASE WHEN r.nonce = excluded.nonce THEN 0 ELSE excluded.level END,
       taken_at = (extract(epoch FROM clock_timestamp()) * 1000000)::bigint,
       nonce = excluded.nonce, rate = excluded.rate, period_ms = excluded.period_ms, burst = excluded.burst
 WHERE r.nonce = excluded.nonce
    OR greatest(r.level - least(greatest((extract(epoch FROM clock_timestamp()) * 1000000)::bigint - r.taken_at, 0), 9000000000000000) * 1000, 0)
       + excluded.level <= $3::bigint
RETURNING level
