-- outbox_failures: the keys whose first message could not be delivered; a page of them.
-- $1 topic, or empty: of all  $2 only behind this topic  $3 and this key  $4 at most so many
SELECT f.topic, f.msg_key, f.number, f.tries, f.since, f.due, f.error, $wall
  FROM dblock_outbox_failure f
 WHERE (f.topic = $1 OR $1 = '') AND (f.topic > $2 OR (f.topic = $2 AND f.msg_key > $3))
   AND EXISTS (SELECT 1 FROM dblock_outbox m
                WHERE m.topic = f.topic AND m.shard = f.shard AND m.msg_key = f.msg_key
                  AND m.number = f.number)
 ORDER BY f.topic, f.msg_key LIMIT $4
