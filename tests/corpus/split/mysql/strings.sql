CREATE TABLE a (x TEXT);
INSERT INTO a VALUES ('it\'s;'), ('it''s;'), ("it\"s;"), ("it""s;"), ('\\');
INSERT INTO a VALUES ('back\\\';'), (_utf8mb4'\';'), (N'n;'), (x'3b'), (b'1');
INSERT INTO a VALUES ('a' 'b;' "c;");
SELECT 1 AS `a\`;
SELECT 'line
;', '--', '/*', '#';
