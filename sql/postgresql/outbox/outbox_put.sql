-- outbox_put: put a message, in a transaction: a row with its number, or none: the oldest message of its shard is too
-- old, so nobody delivers them. (Those of a key that is parked are in the way of that key only.) No more than a few are
-- looked at, however many wait; none, mostly, as the time when the statement began is a bound for a scan, which the
-- clock is not.
-- $1 topic  $2 key  $3 shard: a number that is always the same for the key  $4 a random number
-- $5 headers  $6 body  $7 the oldest that a message may be, us
WITH counted AS (
	INSERT INTO dblock_outbox_key AS k (topic, msg_key, number)
	SELECT $1::text, $2::text, 1
	 WHERE NOT EXISTS (SELECT 1
	                     FROM (SELECT put_at FROM dblock_outbox
	                            WHERE topic = $1::text AND shard = $3::bigint AND msg_key = $2::text
	                            ORDER BY number LIMIT 1) m
	                    WHERE m.put_at < (extract(epoch FROM clock_timestamp()) * 1000000)::bigint - $7::bigint)
	   AND NOT EXISTS (SELECT 1
	                     FROM (SELECT msg_key, put_at FROM dblock_outbox
	                            WHERE topic = $1::text AND shard = $3::bigint
	                              AND put_at < (extract(epoch FROM statement_timestamp()) * 1000000)::bigint - $7::bigint
	                            ORDER BY put_at LIMIT 100) o
	                    WHERE NOT EXISTS (SELECT 1 FROM dblock_outbox_failure f
	                                       WHERE f.topic = $1::text AND f.msg_key = o.msg_key
	                                         AND f.due IS NULL))
	ON CONFLICT (topic, msg_key) DO UPDATE SET number = k.number + 1
	RETURNING number
)
INSERT INTO dblock_outbox (topic, msg_key, number, shard, id, put_at, headers, body)
SELECT $1::text, $2::text, c.number, $3::bigint, $4::bigint,
       (extract(epoch FROM clock_timestamp()) * 1000000)::bigint, $5::text, $6::text
  FROM counted c
RETURNING number
