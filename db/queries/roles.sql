-- name: LetServe :exec
SELECT let_serve(sqlc.arg(role)::name);

-- name: HandOverLog :exec
SELECT hand_over_log();

-- name: CurrentRole :one
SELECT current_user::text;
