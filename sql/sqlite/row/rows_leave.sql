-- rows_leave: there is nothing to undo.
-- $1 nothing
SELECT $1
