-- branch_end: never sent: a branch is prepared as it is.
SELECT 0
