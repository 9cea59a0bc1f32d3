-- join: never sent, as one statement cannot write two tables here: see enqueue, announce, look.
SELECT 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, 0, NULL, 0, 0,
       NULL, NULL, 0, NULL, NULL, 0
  FROM (SELECT 1) c
 WHERE 0
