-- doctor_tickets: no row, as tickets are never behind here: a statement that adds one raises the count.
-- $1 schema  $2 the sequence's name
SELECT 1 FROM (SELECT $1 AS a, $2 AS b) n WHERE 1 = 0
