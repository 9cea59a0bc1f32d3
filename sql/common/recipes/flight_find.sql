-- flight_find: the last result of a key, if it is fresh: from a grant newer than the one seen, or not
-- old, counted from when its computation began. Else only its token.
-- $1 name  $2 token that was seen  $3 not older than so many us
SELECT f.token, c.now - f.made AS ago, f.took, f.coded,
       CASE WHEN f.token > $2 OR (c.now >= f.made AND c.now - f.made + f.took < $3) THEN f.value END AS value
  FROM (SELECT $wall AS now) c
  JOIN dblock_flight f ON f.name = $1
