-- outbox_put: put a message, in a transaction: a row with its number. outbox_late is to be asked before.
-- $1 topic  $2 key  $3 shard: a number that is always the same for the key  $4 a random number
-- $5 headers  $6 body  $7 (not used here)
INSERT INTO dblock_outbox_key (topic, msg_key, number) VALUES ($1, $2, 1)
ON DUPLICATE KEY UPDATE number = dblock_outbox_key.number + 1
-- and
-- outbox_put: and: the message, by the number of the row, which is ours until the end of the transaction.
INSERT INTO dblock_outbox (topic, msg_key, number, shard, id, put_at, headers, body)
SELECT $1, $2, LAST_INSERT_ID(k.number), $3, $4, CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED), $5, $6
  FROM dblock_outbox_key k
 WHERE k.topic = $1 AND k.msg_key = $2
