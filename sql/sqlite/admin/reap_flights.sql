-- reap_flights: forget results that are of no more use.
-- $1 at most so many
DELETE FROM dblock_flight
 WHERE name IN (SELECT name FROM dblock_flight WHERE expires <= $wall ORDER BY expires LIMIT $1)
