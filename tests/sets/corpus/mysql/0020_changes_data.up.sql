INSERT INTO crlf (id, a) VALUES (7, 'x;') ON DUPLICATE KEY UPDATE a = CONCAT(VALUES(a), ';');
REPLACE INTO strings (id, a) VALUES (1, 'replaced; \'');
INSERT INTO strings SET id = 30, a = "set;";
UPDATE strings s JOIN crlf c ON s.id = c.id SET s.a = CASE WHEN c.id = 7 THEN 'case; end' ELSE s.a END;
DELETE s FROM strings s, last_one l WHERE s.id = l.id + 1;
SET @a := 5, @`b;` = ';';
SELECT @a, @`b;` INTO @c, @d;
INSERT IGNORE INTO strings (id, a) SELECT @a + 100, REPEAT(';', 3);
