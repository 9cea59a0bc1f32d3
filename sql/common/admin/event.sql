-- event: write down what happened to a grant, or to a session of ours.
-- $1 so many us ago  $2 kind  $3 name  $4 token  $5 host  $6 pid  $7 app  $8 session of whom it happened to
-- $9 host  $10 pid  $11 app of who did it, or noticed it  $12 detail
INSERT INTO dblock_event
  (at, kind, name, token, host, pid, app, session, by_host, by_pid, by_app, detail)
VALUES ($wall - $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
