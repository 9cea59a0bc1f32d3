-- settle: what was committed before is as durable as this connection's commits are: a record that says
-- nothing is written behind it, and waited for.
SELECT pg_catalog.pg_logical_emit_message(true, 'dblock', 'settle')
