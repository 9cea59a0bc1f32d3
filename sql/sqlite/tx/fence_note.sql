-- fence_note: nothing to leave, as a trigger cannot tell connections apart.
-- $1 all lines
SELECT $1
