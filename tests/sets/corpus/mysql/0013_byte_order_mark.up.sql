-- Saved by an editor of Windows
CREATE TABLE bom (id int, ä text) COMMENT '€;';
INSERT INTO bom VALUES (1, 'x');
