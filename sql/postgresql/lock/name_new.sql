-- name_new: insert the row of a name that is not known yet; nobody holds it.
-- $1 name
INSERT INTO dblock_lock (name, token, nonce, host, pid, thread, reentry, acquired)
SELECT $1::text, greatest(coalesce((SELECT f.token FROM dblock_floor f WHERE f.id = 1), 0) + 1, c.now), 0, '', 0, 0, 0, c.now
  FROM (SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS now) c
ON CONFLICT (name) DO NOTHING
