-- doctor_facts: what matters for locks, by name.
-- $1 schema: always ''
SELECT 'sqlite' AS name, sqlite_version() AS value WHERE $1 = ''
UNION ALL
SELECT 'journal_mode', journal_mode FROM pragma_journal_mode
UNION ALL
SELECT 'synchronous', CAST(synchronous AS TEXT) FROM pragma_synchronous
