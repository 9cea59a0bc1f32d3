-- shape_rate: is dblock_rate ours? Gives no row; fails if a column is missing, on PostgreSQL also if
-- it is of another kind, on MySQL if it has no primary key.
SELECT name, level, taken_at, nonce, rate, period_ms, burst
FROM dblock_rate /*M! FORCE INDEX (PRIMARY) */ /*!80000 FORCE INDEX (PRIMARY) */
WHERE false
  AND length(name) = 0
  AND level + taken_at + nonce + rate + period_ms + burst = 0
