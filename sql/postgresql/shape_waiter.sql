-- shape_waiter: is dblock_waiter ours? Gives no row; fails if a column is missing or of another kind.
SELECT name, ticket, nonce, session, thread, lease, at_least, value, bell, since,
       mode, weight, capacity, upgrades, names, blocks, token, host, pid,
       expires, keep_until, acquired, reentry
FROM dblock_waiter
WHERE false
  AND octet_length(name) + octet_length(session) + octet_length(value) + octet_length(bell) + octet_length(host) = 0
  AND ticket + nonce + thread + lease + at_least + since = 0
  AND mode + weight + capacity + upgrades + names + token + pid + expires + keep_until = 0
  AND acquired + reentry = 0 AND NOT blocks
