-- branch_probe: never sent: every table keeps transactions here.
SELECT 0
