-- ring_stop: nothing has to be interrupted here.
-- $1 number
SELECT 0 AS nothing WHERE $1::bigint IS NULL
