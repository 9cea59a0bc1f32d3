-- backend_state: see backend.
-- $1 number  $2 mark
SELECT 1 AS gone
