-- shape_inbox: is dblock_inbox ours? Gives no row; fails if a column is missing, on PostgreSQL also if
-- it is of another kind, on MySQL if it has no primary key.
SELECT source, msg_key, number, id, prior, had_at
FROM dblock_inbox /*M! FORCE INDEX (PRIMARY) */ /*!80000 FORCE INDEX (PRIMARY) */
WHERE false
  AND length(source) + length(msg_key) = 0
  AND number + id + prior + had_at = 0
