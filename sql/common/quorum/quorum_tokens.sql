-- quorum_tokens: no token that this member has given for a lock of a cluster is larger.
-- $1 the first name that such a lock can have  $2 the first one behind all of these
SELECT MAX(t.token)
  FROM (SELECT f.token FROM dblock_floor f WHERE f.id = 1
        UNION ALL
        SELECT MAX(l.token) FROM dblock_lock l WHERE l.name >= $1 AND l.name < $2) t
