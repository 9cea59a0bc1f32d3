-- own_grants: a page, in order of name, of the grants of this session and the leases of this process; and
-- where the page ends.
-- $1 only names after this one  $2 own session  $3 host  $4 pid  $5 at most so many
WITH page AS (SELECT p.name, p.nonce, p.token, coalesce(p.session = $2, false) AS ours,
                     p.session IS NULL AND p.expires IS NOT NULL AND p.host = $3
                     AND p.pid = $4 AS leased
                FROM dblock_lock p
               WHERE p.name > $1
               ORDER BY p.name LIMIT $5)
SELECT l.name, CASE WHEN l.ours OR l.leased THEN l.nonce ELSE 0 END AS nonce, l.token,
       l.ours AS by_session
  FROM page l
 WHERE l.ours OR l.leased OR l.name = (SELECT max(x.name) FROM page x)
 ORDER BY l.name
