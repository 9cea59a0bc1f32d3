-- Take the floor below all fencing tokens away.
DROP TABLE IF EXISTS dblock_floor;
