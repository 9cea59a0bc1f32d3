-- outbox_shards: the shards of a topic that have a message.
-- $1 topic
-- Eight looks into an index: of an EXISTS MariaDB makes a join that reads the whole topic. Any index will do: an order
-- may have all of a shard read, and sorted.
SELECT n.shard
  FROM (SELECT 0 AS shard UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3
        UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7) n
 WHERE (SELECT 1 FROM dblock_outbox o WHERE o.topic = $1 AND o.shard = n.shard LIMIT 1) = 1
