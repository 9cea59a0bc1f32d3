-- enter: never sent, as one statement cannot write two tables here: see line, enqueue, grant.
SELECT 0 FROM (SELECT 1) c WHERE 0
