-- shape_queue: is dblock_queue ours? Gives no row; fails if a column is missing, or the primary key.
SELECT name, ticket, nonce, mode, weight, capacity, upgrades, names, session, thread, blocks, lease, at_least,
       value, bell, since, token, acquired, expires, keep_until, host, pid, reentry, '' AS clock
FROM dblock_queue FORCE INDEX (PRIMARY)
WHERE name IS NULL
