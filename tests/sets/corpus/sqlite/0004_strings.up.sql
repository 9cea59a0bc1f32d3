CREATE TABLE strings (id INTEGER PRIMARY KEY, a TEXT, `b;` TEXT DEFAULT 'x', "c""d;" TEXT, [e';f] INT);
INSERT INTO strings (id, a) VALUES (1, 'a; ''b''; c'), (2, 'back\'), (3, '\'), (4, ''), (5, ''''), (6, 'line
feed;
--'), (7, X'3b27'), (8, 'end' || ';');
INSERT INTO strings (id, [e';f]) VALUES (9, 5 --3;
  - 1), (10, 7 - -3);
