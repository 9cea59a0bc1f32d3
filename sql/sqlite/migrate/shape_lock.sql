-- shape_lock: is dblock_lock ours? Gives no row; fails if a column is missing.
SELECT name, token, nonce, mode, session, clock, host, pid, thread, reentry, lease, expires,
       keep_until, acquired, released, queued, queue_version, served, value
FROM dblock_lock
WHERE name IS NULL
