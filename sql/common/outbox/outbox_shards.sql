-- outbox_shards: the shards of a topic that have a message.
-- $1 topic
-- Eight looks into the index: without the order a planner may think to find one sooner by going through the table.
SELECT n.shard
  FROM (SELECT 0 AS shard UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3
        UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7) n
 WHERE (SELECT 1 FROM dblock_outbox o WHERE o.topic = $1 AND o.shard = n.shard
         ORDER BY o.msg_key, o.number LIMIT 1) = 1
