-- shape_once: is dblock_once ours? Gives no row; fails if a column is missing or of another kind.
SELECT name, slot, token, host, pid, marked
FROM dblock_once
WHERE false
  AND octet_length(name) + octet_length(slot) + octet_length(host) = 0
  AND token + pid + marked = 0
