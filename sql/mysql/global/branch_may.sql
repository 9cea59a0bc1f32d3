-- branch_may: can this database have a branch? It always can.
SELECT 1
