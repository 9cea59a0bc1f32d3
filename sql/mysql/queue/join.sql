-- join: not here, where two tables cannot be written in one statement: see enqueue, announce, look.
SELECT 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, 0, NULL, 0, 0,
       NULL, NULL, 0
  FROM (SELECT 1) c
 WHERE 0
