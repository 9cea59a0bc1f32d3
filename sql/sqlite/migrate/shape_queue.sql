-- shape_queue: is dblock_queue ours? Gives no row; fails if a column is missing.
SELECT name, ticket, nonce, mode, weight, capacity, upgrades, names, session, thread, blocks, lease, at_least,
       value, bell, since, token, acquired, expires, keep_until, host, pid, reentry, clock
FROM dblock_queue
WHERE name IS NULL
