-- This database is no member of a cluster any more, and guards nothing.
DROP TABLE IF EXISTS dblock_guard;
DROP TABLE IF EXISTS dblock_quorum;
