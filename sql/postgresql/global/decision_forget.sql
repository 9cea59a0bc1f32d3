-- decision_forget: it is committed everywhere. On the disk, at least, before the marks go: else a decision would come
-- back that nobody has done.
-- $1 id
DELETE FROM dblock_decision
 USING set_config('synchronous_commit',
                  CASE WHEN current_setting('synchronous_commit') = 'off' THEN 'on'
                       ELSE current_setting('synchronous_commit') END, true) AS setting
 WHERE id = $1 AND state = 1
