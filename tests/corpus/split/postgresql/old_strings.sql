SET standard_conforming_strings = off;
SELECT 'no backslash', E'\';', '\\', '\n';
SELECT 'ends\';
SELECT 1;
