-- name_new: insert the row of a name that is not known yet; nobody holds it.
-- $1 name
INSERT INTO dblock_lock (name, token, nonce, host, pid, thread, reentry, acquired, clock)
SELECT $1, max(coalesce((SELECT f.token FROM dblock_floor f WHERE f.id = 1), 0) + 1, $wall), 0, '', 0, 0, 0, $wall, $clock
 WHERE true
ON CONFLICT (name) DO NOTHING
