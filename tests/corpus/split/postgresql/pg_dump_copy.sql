SELECT pg_catalog.set_config('search_path', '', false);
CREATE TABLE public.a (
    c01 int, c02 int, c03 int, c04 int, c05 int, c06 int, c07 int, c08 int, c09 int, c10 int,
    c11 int, c12 int, c13 int, c14 int, c15 int, c16 int, c17 int, c18 text
);
COPY public.a (c01, c02, c03, c04, c05, c06, c07, c08, c09, c10, c11, c12, c13, c14, c15, c16, c17, c18) FROM stdin;
1	2	3	4	5	6	7	8	9	10	11	12	13	14	15	16	17	it's
\.
