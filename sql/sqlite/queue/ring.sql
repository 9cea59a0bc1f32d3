-- ring: see doorbell.
SELECT 0 AS number WHERE 0
