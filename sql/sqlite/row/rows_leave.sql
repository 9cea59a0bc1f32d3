-- rows_leave: nothing to put back.
-- $1 nothing
SELECT $1
