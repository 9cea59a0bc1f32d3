-- reap_flights: delete results that are not fresh any more.
-- $1 at most so many
DELETE FROM dblock_flight
 WHERE name IN (SELECT name FROM dblock_flight WHERE expires <= $wall ORDER BY expires LIMIT $1)
