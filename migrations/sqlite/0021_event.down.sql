-- What happened is forgotten.
DROP TABLE IF EXISTS dblock_event;
