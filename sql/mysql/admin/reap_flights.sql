-- reap_flights: forget results that are of no more use.
-- NOW(), when the statement began: by SYSDATE(), which is another for each row, no index is read.
-- $1 at most so many
DELETE FROM dblock_flight
 WHERE expires <= CAST(UNIX_TIMESTAMP(NOW(6)) * 1000000 AS SIGNED)
 ORDER BY expires
 LIMIT $1
