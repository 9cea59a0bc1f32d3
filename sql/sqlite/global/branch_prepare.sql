-- branch_prepare: never sent: a file has no branches.
SELECT 0
