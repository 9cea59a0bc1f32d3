-- rows_enter: its waiting is the driver's.
-- $1 ms
SELECT $1
