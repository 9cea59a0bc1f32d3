-- branch_begin: never sent: a file has no branches.
SELECT 0
