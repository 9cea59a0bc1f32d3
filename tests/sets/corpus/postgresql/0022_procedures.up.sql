CREATE PROCEDURE in_steps(n int) LANGUAGE plpgsql AS $$
BEGIN
  FOR i IN 1..n LOOP
    UPDATE within SET id = id + 1;
    COMMIT;
  END LOOP;
END
$$;
CREATE FUNCTION begin() RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT 1; /* ; */ SELECT 2';
CREATE FUNCTION "end"(begin int DEFAULT 1, OUT atomic int) LANGUAGE sql AS $$ SELECT $1 $$;
CREATE FUNCTION tables() RETURNS TABLE (id int, "table;" text) LANGUAGE sql STABLE ROWS 10 AS
$$
  SELECT id, 'x;' FROM within
$$;
SELECT begin(), "end"(2) AS end;
