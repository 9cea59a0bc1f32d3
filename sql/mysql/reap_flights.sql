-- reap_flights: forget results that are of no more use.
-- $1 at most so many
DELETE FROM dblock_flight
 WHERE expires <= CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED)
 ORDER BY expires
 LIMIT $1
