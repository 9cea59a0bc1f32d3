-- doctor_replication: what matters for locks about the servers beside this one. MySQL shows the tables
-- about them only to users who may read them.
SELECT r.name, r.value
  FROM (/*M!
       SELECT IF(@@GLOBAL.read_only, 'follows', 'follows_and_writes') AS name, 'another server' AS value
         FROM information_schema.global_status s
        WHERE s.variable_name = 'SLAVES_RUNNING' AND s.variable_value > 0
       */ /*!80000
       SELECT IF(@@GLOBAL.read_only, 'follows', 'follows_and_writes') AS name,
              GROUP_CONCAT(c.host, ':', c.port SEPARATOR ', ') AS value
         FROM performance_schema.replication_connection_status s
         JOIN performance_schema.replication_connection_configuration c ON c.channel_name = s.channel_name
        WHERE s.service_state <> 'OFF' AND s.channel_name NOT LIKE 'group\_replication\_%'
        UNION ALL
       -- This server has no id in its group before it has joined.
       SELECT 'group_state', m.member_state
         FROM performance_schema.replication_group_members m
         JOIN performance_schema.global_variables v
           ON v.variable_name = 'group_replication_group_name' AND v.variable_value <> ''
        WHERE m.member_id IN ('', @@GLOBAL.server_uuid)
        UNION ALL
       SELECT 'group_primary', CONCAT(p.member_host, ':', p.member_port)
         FROM performance_schema.replication_group_members m
         JOIN performance_schema.replication_group_members p ON p.member_role = 'PRIMARY'
        WHERE m.member_id = @@GLOBAL.server_uuid AND m.member_role = 'SECONDARY'
        UNION ALL
       SELECT 'group_cut_off', CONCAT(c.unreachable, ' of ', c.known)
         FROM (SELECT SUM(m.member_state = 'UNREACHABLE') AS unreachable, COUNT(*) AS known
                 FROM performance_schema.replication_group_members m) c
        WHERE 2 * c.unreachable >= c.known */) r
