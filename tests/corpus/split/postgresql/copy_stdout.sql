COPY stdin FROM PROGRAM 'true';
COPY (SELECT stdout FROM stdin) TO '/dev/null';
COPY a TO STDOUT;
