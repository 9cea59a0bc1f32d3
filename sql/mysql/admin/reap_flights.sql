-- reap_flights: delete results that are not fresh any more. NOW() is when the statement began: SYSDATE()
-- differs for each row, so no index could be used.
-- $1 at most so many
DELETE FROM dblock_flight
 WHERE expires <= CAST(UNIX_TIMESTAMP(NOW(6)) * 1000000 AS SIGNED)
 ORDER BY expires
 LIMIT $1
