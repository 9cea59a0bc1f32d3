-- branch_end: never sent: a file has no branches.
SELECT 0
