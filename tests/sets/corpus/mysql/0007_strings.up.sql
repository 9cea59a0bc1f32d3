CREATE TABLE strings (id INT PRIMARY KEY, a VARCHAR(80), `b``;` INT, `c"'d;` TEXT);
INSERT INTO strings (id, a) VALUES (1, 'a; ''b''; c'), (2, 'it\'s; \\'), (3, "say ""x;"" it's"), (4, "\";"),
  (5, ''), (6, ''''), (7, '\\'), (8, "\\"), (9, 'line
feed;
-- '), (10, _utf8mb4'x;' COLLATE utf8mb4_bin), (11, X'3b27'), (12, 0x3b), (13, b'111011'), (14, N'n;'),
  (15, 'two'
  ' parts;'), (16, '\%\_\Z\0;');
UPDATE strings SET a = CONCAT(a, ';', "--") WHERE id IN (1, 2);
