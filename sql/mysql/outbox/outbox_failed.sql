-- outbox_failed: a message could not be delivered: note how often, and when to try again. Nothing, if it is there no
-- more: another relay has delivered it.
-- $1 topic  $2 shard  $3 key  $4 number  $5 id  $6 so many tries have failed  $7 us until the next, NULL: it is parked
-- $8 why
-- Assignments run from left to right.
INSERT INTO dblock_outbox_failure (topic, msg_key, shard, number, tries, since, due, error)
SELECT o.topic, o.msg_key, o.shard, o.number, $6, CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED),
       CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED) + $7, $8
  FROM dblock_outbox o
 WHERE o.topic = $1 AND o.shard = $2 AND o.msg_key = $3 AND o.number = $4 AND o.id = $5
ON DUPLICATE KEY UPDATE
  since = IF(dblock_outbox_failure.number = $4, dblock_outbox_failure.since, CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED)),
  number = $4, tries = $6, due = CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED) + $7, error = $8
