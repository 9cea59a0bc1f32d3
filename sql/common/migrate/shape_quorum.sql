-- shape_quorum: is dblock_quorum ours? Gives no row; fails if a column is missing, on PostgreSQL also if
-- it is of another kind, on MySQL if it has no primary key.
SELECT cluster, identity, epoch, members, number, state, history, roster, max_ttl, id
FROM dblock_quorum /*M! FORCE INDEX (PRIMARY) */ /*!80000 FORCE INDEX (PRIMARY) */
WHERE false
  AND length(cluster) + length(identity) + length(history) + length(roster) = 0
  AND epoch + members + number + state + max_ttl + id = 0
