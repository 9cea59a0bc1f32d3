-- reap_rates: delete the rates of a range of names of which nobody has taken any for a while, and nothing is used: it is
-- the same as if they were not there.
-- $1, $2 names after the first, up to the second  $3 for so many us
DELETE FROM dblock_rate
 WHERE name > $1 AND name <= $2
   AND taken_at <= $wall - $3
   AND level / 1000 < $wall - taken_at
