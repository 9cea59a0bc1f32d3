-- metrics_bytes: how many bytes each of the tables has that this user may read, with its indexes.
-- $1 database, '' = the connection's  $2 prefix of the tables
SELECT SUBSTRING(t.table_name, CHAR_LENGTH($2) + 1) AS name, CAST(COALESCE(t.data_length + t.index_length, 0) AS SIGNED) AS n
  FROM information_schema.tables t
 WHERE t.table_schema = COALESCE(NULLIF($1, ''), DATABASE()) AND t.table_type = 'BASE TABLE'
   AND t.table_name IN (CONCAT($2, 'session'), CONCAT($2, 'lock'), CONCAT($2, 'queue'), CONCAT($2, 'floor'),
                        CONCAT($2, 'request'), CONCAT($2, 'once'), CONCAT($2, 'flight'),
                        CONCAT($2, 'revocation'), CONCAT($2, 'suspect'), CONCAT($2, 'history'),
                        CONCAT($2, 'event'), CONCAT($2, 'migration'),
                        CONCAT($2, 'outbox'), CONCAT($2, 'outbox_key'), CONCAT($2, 'outbox_failure'),
                        CONCAT($2, 'inbox'))
