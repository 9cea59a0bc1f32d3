-- doctor_mark: a setting that this connection alone should remember.
-- $1 text
SELECT set_config('dblock.mark', $1::text, false)
