-- name_new: insert the row of a name that is not known yet; nobody holds it.
-- $1 name
INSERT INTO dblock_lock (name, token, nonce, host, pid, thread, reentry, acquired)
SELECT $1, GREATEST(COALESCE((SELECT f.token FROM dblock_floor f WHERE f.id = 1 LOCK IN SHARE MODE), 0) + 1, c.now),
       0, '', 0, 0, 0, c.now
  FROM (SELECT CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED) AS now) c
ON DUPLICATE KEY UPDATE name = dblock_lock.name
