-- doctor_tickets: a row if the next ticket of the queue is below what has been granted to already, as where
-- the tables were copied without their sequences. Nothing is seen without a right to the sequence.
-- $1 schema  $2 the sequence's name
SELECT 1
  FROM pg_sequences s
 WHERE s.schemaname = $1::text AND s.sequencename = $2::text
   AND has_sequence_privilege(format('%I.%I', s.schemaname, s.sequencename), 'SELECT, USAGE')
   AND coalesce(s.last_value, 0) < (SELECT max(l.served) FROM dblock_lock l)
