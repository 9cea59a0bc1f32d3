DO $$
DECLARE
	r record;
BEGIN
	FOR r IN SELECT 1 AS x LOOP
		EXECUTE format('CREATE TABLE t_%s (a int);', r.x);
	END LOOP;
END;
$$ LANGUAGE plpgsql;
DO LANGUAGE plpgsql 'BEGIN PERFORM 1; END';
