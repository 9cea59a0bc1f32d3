-- decision_durable: 1: the connection's commits reach the disk (PRAGMA synchronous is FULL or more).
SELECT CASE WHEN synchronous >= 2 THEN 1 ELSE 0 END FROM pragma_synchronous
