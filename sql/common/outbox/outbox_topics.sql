-- outbox_topics: what waits to be delivered, by topic: how many messages, since when the oldest, how many keys have
-- failed, and how many of them are parked.
SELECT o.topic, o.n, o.oldest, coalesce(f.failed, 0), coalesce(f.parked, 0), $wall
  FROM (SELECT topic, count(*) AS n, min(put_at) AS oldest FROM dblock_outbox GROUP BY topic) o
  LEFT JOIN (SELECT x.topic, count(*) AS failed, count(*) - count(x.due) AS parked
               FROM dblock_outbox_failure x
              WHERE EXISTS (SELECT 1 FROM dblock_outbox m
                             WHERE m.topic = x.topic AND m.shard = x.shard AND m.msg_key = x.msg_key
                               AND m.number = x.number)
              GROUP BY x.topic) f ON f.topic = o.topic
 ORDER BY o.topic
