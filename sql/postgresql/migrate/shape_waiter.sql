-- shape_waiter: is dblock_waiter ours? Gives no row; fails if a column is missing or of another kind.
SELECT name, ticket, nonce, session, thread, lease, at_least, value, bell, since
FROM dblock_waiter
WHERE false
  AND octet_length(name) + octet_length(session) + octet_length(value) + octet_length(bell) = 0
  AND ticket + nonce + thread + lease + at_least + since = 0
