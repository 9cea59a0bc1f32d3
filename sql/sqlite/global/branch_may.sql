-- branch_may: can this database have a branch? 0: a file has none.
SELECT 0
