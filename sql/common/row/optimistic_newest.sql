-- optimistic_newest: the version of a row that an update did not find at the version expected. What
-- the update waited for has been committed, and this statement sees it; in REPEATABLE READ both see
-- what was there when the transaction began.
SELECT :version
  FROM :table
 WHERE :key
