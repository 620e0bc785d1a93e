#!/bin/sh
# The first start makes the cluster, its user with the password, and its database, and runs the folder's SQL through a
# server that listens on a socket alone; then the command follows, as another user than root.
set -eu
[ "$(id -u)" != 0 ] || { chown postgres "$PGDATA"; exec setpriv --reuid=postgres --regid=postgres --init-groups "$0" "$@"; }
case "${1:-postgres}" in -*) set -- postgres "$@" ;; esac
if [ ! -s "$PGDATA/PG_VERSION" ]; then
    user=${POSTGRES_USER:-postgres}
    printf %s "$POSTGRES_PASSWORD" > /tmp/password
    # shellcheck disable=SC2086
    initdb -D "$PGDATA" -U "$user" --pwfile=/tmp/password ${POSTGRES_INITDB_ARGS:-}
    rm /tmp/password
    echo "host all all all scram-sha-256" >> "$PGDATA/pg_hba.conf"
    echo "listen_addresses = '*'" >> "$PGDATA/postgresql.conf"
    pg_ctl -D "$PGDATA" -w -o "-c listen_addresses= -c unix_socket_directories=/tmp" start
    export PGHOST=/tmp PGPASSWORD="$POSTGRES_PASSWORD"
    base=${POSTGRES_DB:-$user}
    [ "$base" = postgres ] || psql -v ON_ERROR_STOP=1 -U "$user" -d postgres -c "CREATE DATABASE \"$base\""
    for file in /docker-entrypoint-initdb.d/*.sql; do
        [ ! -f "$file" ] || psql -v ON_ERROR_STOP=1 -U "$user" -d "$base" -f "$file"
    done
    pg_ctl -D "$PGDATA" -w stop
fi
exec "$@"
