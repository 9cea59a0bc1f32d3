-- outbox_put: put a message, in a transaction: a row with its number. outbox_late is to be asked before.
-- $1 topic  $2 key  $3 shard: a number that is always the same for the key  $4 a random number
-- $5 headers  $6 body  $7 (not used here)
INSERT INTO dblock_outbox_key AS k (topic, msg_key, number) VALUES ($1, $2, 1)
ON CONFLICT (topic, msg_key) DO UPDATE SET number = k.number + 1
-- and
-- outbox_put: and: the message.
INSERT INTO dblock_outbox (topic, msg_key, number, shard, id, put_at, headers, body)
SELECT $1, $2, k.number, $3, $4, $wall, $5, $6
  FROM dblock_outbox_key k
 WHERE k.topic = $1 AND k.msg_key = $2
RETURNING number
