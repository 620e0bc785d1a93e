#!/bin/sh
[ "$1" = minio ] || [ $# = 0 ] || set -- minio "$@"
exec "$@"
