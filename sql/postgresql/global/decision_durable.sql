-- decision_durable: the open transaction's commit reaches the disk at least. 1: it does.
SELECT 1 AS done
  FROM set_config('synchronous_commit',
                  CASE WHEN current_setting('synchronous_commit') = 'off' THEN 'on'
                       ELSE current_setting('synchronous_commit') END, true) AS setting
