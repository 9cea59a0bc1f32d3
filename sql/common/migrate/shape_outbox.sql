-- shape_outbox: is dblock_outbox ours? Gives no row; fails if a column is missing, on PostgreSQL also if
-- it is of another kind, on MySQL if it has no primary key.
SELECT topic, msg_key, number, shard, id, put_at, headers, body
FROM dblock_outbox /*M! FORCE INDEX (PRIMARY) */ /*!80000 FORCE INDEX (PRIMARY) */
WHERE false
  AND length(topic) + length(msg_key) + length(headers) + length(body) = 0
  AND number + shard + id + put_at = 0
