-- shape_outbox_key: is dblock_outbox_key ours? Gives no row; fails if a column is missing, on PostgreSQL also if
-- it is of another kind, on MySQL if it has no primary key.
SELECT topic, msg_key, number
FROM dblock_outbox_key /*M! FORCE INDEX (PRIMARY) */ /*!80000 FORCE INDEX (PRIMARY) */
WHERE false
  AND length(topic) + length(msg_key) = 0
  AND number = 0
