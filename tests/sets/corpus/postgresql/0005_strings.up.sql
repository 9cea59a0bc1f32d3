CREATE TABLE strings (id int, a text);
INSERT INTO strings VALUES
  (1, 'a; ''b''; c'), (2, E'it\'s; \\'), (3, e'\';\n\x41\u00e9'), (4, 'back\'), (5, U&'d\0061t\+000061;'),
  (6, U&'d!0061;' UESCAPE '!'), (7, N'national;'), (8, 'two'
  ' parts;'), (9, E'esc;\''
  'aped;'), (10, ''), (11, ''''), (12, E'\\'), (13, 'line
feed;
--');
CREATE TABLE "odd;name" ("a""b;" int, "--c" int, "it's" bit(4) DEFAULT B'1010', "x" bit(8) DEFAULT X'ff');
INSERT INTO "odd;name" VALUES (1, 2);
CREATE TABLE U&"d\0061ta;" (id int);
