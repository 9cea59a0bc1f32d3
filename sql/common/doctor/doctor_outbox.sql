-- doctor_outbox: of each topic that has messages: how long the oldest has waited, us, but for those of keys that are
-- parked (NULL: there is no other), and how many keys are parked.
SELECT o.topic, $wall - min(CASE WHEN f.msg_key IS NULL THEN o.put_at END), count(DISTINCT f.msg_key)
  FROM dblock_outbox o
  LEFT JOIN (SELECT x.topic, x.msg_key
               FROM dblock_outbox_failure x
              WHERE x.due IS NULL
                AND EXISTS (SELECT 1 FROM dblock_outbox m
                             WHERE m.topic = x.topic AND m.shard = x.shard AND m.msg_key = x.msg_key
                               AND m.number = x.number)) f ON f.topic = o.topic AND f.msg_key = o.msg_key
 GROUP BY o.topic
 ORDER BY o.topic
