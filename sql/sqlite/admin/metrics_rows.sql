-- metrics_rows: how many rows each of the tables has.
-- $1 schema: always ''  $2 prefix of the tables
SELECT 'session' AS name, count(*) AS n FROM dblock_session WHERE $1 = $1 AND $2 = $2
UNION ALL SELECT 'lock', count(*) FROM dblock_lock
UNION ALL SELECT 'queue', count(*) FROM dblock_queue
UNION ALL SELECT 'floor', count(*) FROM dblock_floor
UNION ALL SELECT 'request', count(*) FROM dblock_request
UNION ALL SELECT 'once', count(*) FROM dblock_once
UNION ALL SELECT 'flight', count(*) FROM dblock_flight
UNION ALL SELECT 'revocation', count(*) FROM dblock_revocation
UNION ALL SELECT 'suspect', count(*) FROM dblock_suspect
UNION ALL SELECT 'history', count(*) FROM dblock_history
UNION ALL SELECT 'event', count(*) FROM dblock_event
UNION ALL SELECT 'migration', count(*) FROM dblock_migration
UNION ALL SELECT 'outbox', count(*) FROM dblock_outbox
UNION ALL SELECT 'outbox_key', count(*) FROM dblock_outbox_key
UNION ALL SELECT 'outbox_failure', count(*) FROM dblock_outbox_failure
UNION ALL SELECT 'inbox', count(*) FROM dblock_inbox
