-- metrics_version: the newest of the library's own migrations that is applied.
SELECT coalesce(max(m.version), 0) FROM dblock_migration m WHERE m.scope = 'dblock' AND m.state = 'applied'
