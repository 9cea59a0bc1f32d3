-- doctor_global: transactions over several databases that were decided here, and are not finished everywhere: for how
-- long each has been, us; some.
-- $1 those that have been for longer than so many us
SELECT $wall - d.since FROM dblock_decision d
 WHERE d.id > '' AND d.state = 1 AND d.since < $wall - $1
 ORDER BY d.id LIMIT 20
