#!/bin/sh
# Reproduces one finding: ./reproduce.sh [--warm] [--recover] XTF-004. Ends with 1 if the fault is there as its page says, 0 if it is
# gone, 6 if it could not be tried. The README beside says what each kind of finding needs.
if [ "$1" = --warm ]; then shift; export WARM=1; fi
if [ "$1" = --recover ]; then shift; export RECOVER=1; fi
cd "$(dirname "$0")/${1:?name a finding: ./reproduce.sh XTF-004}" || exit 6

run() { # Python itself ends with 1 where it crashes, so 10 is the code that says: the fault is there
  PYTHONPATH="..${2:+:$2}" python3 "$1"
  status=$?
  case $status in 0 | 6 | 10) ;; *) echo "COULD NOT RUN: $1 ended with $status"; exit 6 ;; esac
}

if [ -e write.py ]; then
  run write.py "$PACKAGES"
  [ $status = 0 ] || exit 6
fi
if [ -e check.py ]; then run check.py        # of a reader
elif grep -qs '"target": "DELTA"' fault.json; then run ../check_delta.py # of XTable's Delta target
elif grep -qs '"target": "HUDI"' fault.json; then run ../check_hudi.py # of its Hudi target
elif [ -e config.yaml ] || grep -qsE '"source": "PARQUET"|"by_kernel": true' fault.json; then run ../check.py # of its Iceberg target
else run ../check_skipping.py; fi             # of Hudi's own indexes
[ $status = 10 ] && exit 1
exit $status
