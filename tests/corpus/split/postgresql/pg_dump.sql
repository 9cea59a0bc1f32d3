--
-- PostgreSQL database dump
--

-- Dumped from database version 15.18
-- Dumped by pg_dump version 15.18

SET statement_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET row_security = off;

--
-- Name: mood; Type: TYPE; Schema: public; Owner: -
--

CREATE TYPE public.mood AS ENUM (
    'sad',
    'it''s \ok'
);


--
-- Name: stamp(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.stamp() RETURNS trigger
    LANGUAGE plpgsql
    AS $_$
BEGIN
  IF NEW.name ~ '^a;b$' THEN
    NEW.name := 'x';
  END IF;
  RETURN NEW;
END;
$_$;


SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: account; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.account (
    id bigint NOT NULL,
    name text DEFAULT 'C:\'::text NOT NULL,
    mood public.mood
);


CREATE SEQUENCE public.account_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


ALTER SEQUENCE public.account_id_seq OWNED BY public.account.id;


ALTER TABLE ONLY public.account ALTER COLUMN id SET DEFAULT nextval('public.account_id_seq'::regclass);


INSERT INTO public.account VALUES (1, 'O''Hara; \n', NULL);


ALTER TABLE ONLY public.account
    ADD CONSTRAINT account_pkey PRIMARY KEY (id);


CREATE TRIGGER stamp BEFORE INSERT ON public.account FOR EACH ROW EXECUTE FUNCTION public.stamp();


--
-- PostgreSQL database dump complete
--

