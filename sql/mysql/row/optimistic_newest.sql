-- optimistic_newest: the version of a row that an update did not find at the version expected. The
-- update saw the newest, and so does a read that locks; in REPEATABLE READ any other sees what was
-- there when the transaction began. (FOR SHARE is not to be had everywhere; and two that share it,
-- and then update, would be a deadlock.)
SELECT :version
  FROM :table
 WHERE :key
   FOR UPDATE
