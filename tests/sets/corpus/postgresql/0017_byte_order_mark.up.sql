-- Saved by an editor of Windows
CREATE TABLE bom (id int, ä text DEFAULT '€;');
INSERT INTO bom VALUES (1);
