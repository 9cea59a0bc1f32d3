-- doctor_global: transactions over several databases that were decided here, and are not finished everywhere: how many,
-- and for how long the oldest is, us.
-- $1 those that have been for longer than so many us
SELECT count(*), max($wall - d.since) FROM dblock_decision d WHERE d.state = 1 AND d.since < $wall - $1
