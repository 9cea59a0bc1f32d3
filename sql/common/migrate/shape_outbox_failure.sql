-- shape_outbox_failure: is dblock_outbox_failure ours? Gives no row; fails if a column is missing, on PostgreSQL also if
-- it is of another kind, on MySQL if it has no primary key.
SELECT topic, msg_key, shard, number, tries, since, due, error
FROM dblock_outbox_failure /*M! FORCE INDEX (PRIMARY) */ /*!80000 FORCE INDEX (PRIMARY) */
WHERE false
  AND length(topic) + length(msg_key) + length(error) = 0
  AND shard + number + tries + since + due = 0
