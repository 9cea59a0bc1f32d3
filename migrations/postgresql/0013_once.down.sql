-- Take the marks away: what was done once could then be done again.
DROP TABLE IF EXISTS dblock_once;
