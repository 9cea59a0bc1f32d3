-- settle: make all commits before it as durable as this connection's: an empty record is written after
-- them, and waited for.
SELECT pg_catalog.pg_logical_emit_message(true, 'dblock', 'settle')
