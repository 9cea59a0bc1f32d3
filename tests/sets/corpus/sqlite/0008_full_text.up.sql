CREATE VIRTUAL TABLE page USING fts5(title, body, tokenize = 'porter ascii');
INSERT INTO page VALUES ('a; title', 'and a body; with "quotes"');
CREATE VIRTUAL TABLE place USING rtree(id, min_x, max_x);
