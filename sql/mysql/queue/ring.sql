-- ring: the connection that sleeps as the doorbell of a channel (see doorbell), to be interrupted. Those
-- of other users are seen with the right PROCESS only. Who is rung then reads by itself.
-- $1 channel
SELECT p.id
  FROM information_schema.processlist p
 WHERE p.command = 'Query' AND p.id <> CONNECTION_ID()
   AND p.info LIKE CONCAT('-- doorbell: %SELECT SLEEP(%) AS bell\\_', $1)
