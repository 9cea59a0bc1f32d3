-- Take the results away: they are made again when they are asked for.
DROP TABLE IF EXISTS dblock_flight;
