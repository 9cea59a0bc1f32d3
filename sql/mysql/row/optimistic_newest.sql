-- optimistic_newest: the version of a row, after an update that did not find the expected one. The update
-- saw the newest version, as does a read that locks; in REPEATABLE READ other reads see the rows as they
-- were when the transaction began. (Not every server has FOR SHARE; and two that share it, and then
-- update, would deadlock.)
SELECT :version
  FROM :table
 WHERE :key
   FOR UPDATE
