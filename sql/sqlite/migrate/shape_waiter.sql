-- shape_waiter: is dblock_waiter ours? Gives no row; fails if a column is missing.
SELECT name, ticket, nonce, session, thread, lease, at_least, value, bell, since
FROM dblock_waiter
WHERE name IS NULL
