-- reap_local: living sessions that cite a mark by one of these names: on this machine its process has ended.
-- $1 names of marks (src/base/mark.h), with a blank before each  $2 at most so many  $3 only ids after this one
SELECT s.mark, s.id, s.beat, s.ttl
  FROM dblock_session s
 WHERE NOT s.dead AND s.mark <> '' AND strpos($1::text, substr(s.mark, 3, 32)) > 0
   AND s.id > $3::text
 ORDER BY s.id
 LIMIT $2::bigint
