-- backend_end: see backend.
-- $1 number  $2 mark
SELECT 0 AS ended
