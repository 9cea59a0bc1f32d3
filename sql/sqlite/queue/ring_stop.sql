-- ring_stop: see doorbell.
SELECT 0 AS nothing WHERE 0
