-- branch_warned: never sent: every table keeps transactions here.
SELECT '', 0, '' WHERE false
