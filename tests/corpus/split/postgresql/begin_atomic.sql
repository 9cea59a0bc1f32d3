CREATE FUNCTION f(a int) RETURNS int LANGUAGE sql
BEGIN ATOMIC
	SELECT CASE WHEN a > 0 THEN 1 ELSE 2 END;
	SELECT (CASE a WHEN 1 THEN 2 END) AS case_end;
	SELECT 5 /* END; */ ;
END;
create or replace procedure p(a int) language sql
begin atomic
	;
	select case when a > 0 then case a when 1 then 2 end end;
	select f(a)
;
/* */ end
;
CREATE FUNCTION begin() RETURNS int LANGUAGE sql RETURN 1;
CREATE FUNCTION empty() RETURNS void LANGUAGE sql BEGIN ATOMIC END;
SELECT 1;
