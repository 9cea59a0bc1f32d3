SELECT (ARRAY[1,2,3])[1:2], ARRAY['a;']::text[], 'x'::text;
SELECT $$a$$, 1 AS "$$;", 2 AS a$$; SELECT 3 AS b$$;
