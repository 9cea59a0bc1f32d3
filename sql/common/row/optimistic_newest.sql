-- optimistic_newest: the version of a row, after an update that did not find the expected one. What the
-- update waited for is committed, and this statement sees it; in REPEATABLE READ both see the rows as
-- they were when the transaction began.
SELECT :version
  FROM :table
 WHERE :key
