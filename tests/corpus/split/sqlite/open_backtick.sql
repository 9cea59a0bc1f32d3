SELECT 1 AS `b``;
