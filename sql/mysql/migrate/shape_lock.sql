-- shape_lock: is dblock_lock ours? Gives no row; fails if a column is missing, or the primary key.
SELECT name, token, nonce, mode, session, '' AS clock, host, pid, thread, reentry, lease, expires,
       keep_until, acquired, released, queued, queue_version, served, value
FROM dblock_lock FORCE INDEX (PRIMARY)
WHERE name IS NULL
