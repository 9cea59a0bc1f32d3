SELECT 1,
delimiter&2; SELECT
delimiter; SELECT
delimiter / 2;
