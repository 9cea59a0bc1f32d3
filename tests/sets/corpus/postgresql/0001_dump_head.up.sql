--
-- PostgreSQL database dump
--

-- Dumped from database version 15.14 (Debian 15.14-0+deb12u1)

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: customer; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.customer (
    id bigint NOT NULL,
    name text DEFAULT 'nobody; yet'::text NOT NULL,
    born date DEFAULT '2001-02-03'::date,
    note character varying(80) DEFAULT ''::character varying
);


CREATE SEQUENCE public.customer_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


ALTER SEQUENCE public.customer_id_seq OWNED BY public.customer.id;
ALTER TABLE ONLY public.customer ALTER COLUMN id SET DEFAULT nextval('public.customer_id_seq'::regclass);
INSERT INTO public.customer VALUES (1, 'O''Hara; \', '1999-12-31', NULL);
INSERT INTO public.customer VALUES (2, '--', NULL, '/* none');
SELECT pg_catalog.setval('public.customer_id_seq', 2, true);
ALTER TABLE ONLY public.customer
    ADD CONSTRAINT customer_pkey PRIMARY KEY (id);

--
-- PostgreSQL database dump complete
--
