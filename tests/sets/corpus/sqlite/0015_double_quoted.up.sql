-- ".." that is no name is a string for the program sqlite3.
UPDATE customer SET name = "a string;" WHERE id = 3;
INSERT INTO strings (id, a) VALUES (20, "x;y");
