DO $$ BEGIN
  IF NOT EXISTS (SELECT 1 FROM pg_type WHERE typname = 'state;') THEN
    CREATE TYPE "state;" AS ENUM ('on', 'off');
  END IF;
END $$;
DO LANGUAGE plpgsql $do$
DECLARE
  r record;
BEGIN
  FOR r IN SELECT unnest(ARRAY['one', 'two;']) AS name LOOP
    EXECUTE format($f$CREATE TABLE %I (id int DEFAULT 1, note text DEFAULT %L);$f$, 'by_' || r.name, r.name);
  END LOOP;
EXCEPTION WHEN duplicate_table THEN
  RAISE NOTICE 'is there; %', SQLERRM;
END;
$do$;
DO 'BEGIN PERFORM 1; END';
