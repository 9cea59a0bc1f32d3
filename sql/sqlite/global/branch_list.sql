-- branch_list: no row: a file has no branches.
SELECT 0, 0, 0, '' WHERE false
