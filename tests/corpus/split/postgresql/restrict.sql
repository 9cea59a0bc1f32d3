--
-- PostgreSQL database dump
--

\restrict 3VbJ5XdLzwPWEsQYpvT1tIcgF2WIvNcc1dWHu1d

SET statement_timeout = 0;
