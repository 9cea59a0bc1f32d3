-- doctor_held_back: no row, as a file is cleared of what was deleted at once.
-- $1 us  $2 so many
SELECT '' AS what, '' AS who, 0 AS age FROM (SELECT $1 AS a, $2 AS b) n WHERE 1 = 0
