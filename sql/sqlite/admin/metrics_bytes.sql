-- metrics_bytes: how many bytes of the file each of the tables has, with its indexes: pages that are in use.
-- (dbstat may not be built in: then this cannot be told.)
-- $1 schema: always ''  $2 prefix of the tables
SELECT substr(m.tbl_name, length($2) + 1) AS name,
       sum((SELECT sum(d.pgsize) FROM dbstat d WHERE d.name = m.name)) AS n
  FROM sqlite_master m
 WHERE m.rootpage > 0 AND $1 = ''
   AND m.tbl_name IN ($2 || 'session', $2 || 'lock', $2 || 'queue', $2 || 'floor', $2 || 'request', $2 || 'once',
                      $2 || 'flight', $2 || 'revocation', $2 || 'suspect', $2 || 'history', $2 || 'event',
                      $2 || 'migration', $2 || 'outbox',
                      $2 || 'outbox_key', $2 || 'outbox_failure', $2 || 'inbox')
 GROUP BY m.tbl_name
