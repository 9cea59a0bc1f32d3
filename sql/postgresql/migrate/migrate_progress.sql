-- migrate_progress: what a session's statement is at: how far an index is, or whom it waits for.
-- $1 its pid
SELECT CASE WHEN b.pids <> '{}' THEN 'waits for a lock that pid ' || array_to_string(b.pids, ', ') || ' has'
            ELSE p.phase || CASE WHEN p.blocks_total > 0
                                 THEN ': ' || 100 * p.blocks_done / p.blocks_total || ' %'
                                 WHEN p.tuples_total > 0
                                 THEN ': ' || 100 * p.tuples_done / p.tuples_total || ' %'
                                 ELSE '' END
       END
  FROM (SELECT pg_blocking_pids($1::integer) AS pids) b
  LEFT JOIN pg_stat_progress_create_index p ON p.pid = $1::integer
 WHERE b.pids <> '{}' OR p.pid IS NOT NULL
