-- shape_queue: is dblock_queue ours? Gives no row; fails if a column is missing or of another kind.
SELECT name, ticket, nonce, mode, weight, capacity, upgrades, names, session, thread, blocks, lease, at_least,
       value, bell, since, token, acquired, expires, keep_until, host, pid, reentry, '' AS clock
FROM dblock_queue
WHERE false AND NOT blocks
  AND octet_length(name) + octet_length(session) + octet_length(value) + octet_length(bell) = 0
  AND ticket + nonce + mode + weight + capacity + upgrades + names + thread + lease + at_least = 0
  AND since + token + acquired + expires + keep_until + octet_length(host) + pid + reentry = 0
