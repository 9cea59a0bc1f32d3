-- shape_queue: is dblock_queue ours? Gives no row; fails if a column is missing, on PostgreSQL also if
-- it is of another kind, on MySQL if it has no primary key.
SELECT name, ticket, nonce, mode, weight, capacity, upgrades, names, session, thread, blocks, lease, at_least,
       value, bell, since, token, acquired, expires, keep_until, host, pid, reentry, '' AS clock
FROM dblock_queue /*M! FORCE INDEX (PRIMARY) */ /*!80000 FORCE INDEX (PRIMARY) */
WHERE false AND NOT blocks
  AND length(name) + length(session) + length(value) + length(bell) = 0
  AND ticket + nonce + mode + weight + capacity + upgrades + names + thread + lease + at_least = 0
  AND since + token + acquired + expires + keep_until + length(host) + pid + reentry = 0
