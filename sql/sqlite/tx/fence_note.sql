-- fence_note: there is nobody to read it: a trigger cannot tell connections apart.
-- $1 all lines
SELECT $1
