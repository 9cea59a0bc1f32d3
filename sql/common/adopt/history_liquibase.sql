-- history_liquibase: a row for each changeset. (The row of liquibase's own is a tag on an empty table.)
SELECT NULL AS version, ID AS code, FILENAME AS name,
  CASE WHEN EXECTYPE IN ('EXECUTED', 'RERAN', 'MARK_RAN') THEN 1 ELSE 0 END AS kind, NULL AS checksum
FROM DATABASECHANGELOG
WHERE FILENAME <> 'liquibase-internal'
ORDER BY ORDEREXECUTED
