-- Take the view for people away.
DROP VIEW IF EXISTS dblock_waiting;
