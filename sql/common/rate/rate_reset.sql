-- rate_reset: forget how much of a rate is used: its whole burst can be had again.
-- $1 name
DELETE FROM dblock_rate WHERE name = $1
