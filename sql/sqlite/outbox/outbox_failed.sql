-- outbox_failed: a message could not be delivered: note how often, and when to try again. Nothing, if it is there no
-- more: another relay has delivered it.
-- $1 topic  $2 shard  $3 key  $4 number  $5 id  $6 so many tries have failed  $7 us until the next, NULL: it is parked
-- $8 why
INSERT INTO dblock_outbox_failure AS f (topic, msg_key, shard, number, tries, since, due, error)
SELECT o.topic, o.msg_key, o.shard, o.number, $6, c.now, c.now + $7, $8
  FROM (SELECT $wall AS now) c
 CROSS JOIN dblock_outbox o
 WHERE o.topic = $1 AND o.shard = $2 AND o.msg_key = $3 AND o.number = $4 AND o.id = $5
ON CONFLICT (topic, msg_key) DO UPDATE
   SET since = CASE WHEN f.number = excluded.number THEN f.since ELSE excluded.since END,
       number = excluded.number, tries = excluded.tries, due = excluded.due, error = excluded.error
