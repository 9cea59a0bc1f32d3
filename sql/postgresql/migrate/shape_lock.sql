-- shape_lock: is dblock_lock ours? Gives no row; fails if a column is missing or of another kind,
-- or if name is not the primary key (only then may the others be selected beside it).
SELECT name, token, nonce, mode, session, '' AS clock, host, pid, thread, reentry, lease, expires,
       keep_until, acquired, released, queued, queue_version, served, value
FROM dblock_lock
WHERE false AND NOT queued
  AND octet_length(name) + octet_length(session) + octet_length(host) + octet_length(value) = 0
  AND token + nonce + mode + pid + thread + reentry = 0
  AND lease + expires + keep_until + acquired + released + queue_version + served = 0
GROUP BY name
