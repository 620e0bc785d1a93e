#!/bin/sh
# One sync in a JVM of its own. XTABLE_JAR: the bundled jar that you built, by its command line; else XTABLE_CLASSPATH:
# xtable-core of a release with what it needs, by the class that the command line calls. For an upgrade in place
# XTABLE_FROM_CLASSPATH too: the release that makes the first sync. WARM: the JVM first loads what one that has run many
# syncs has loaded. A jar is then driven by the class that its command line calls, and also for Delta by Kernel, since the
# command line passes no properties to a target, and for a folder of Parquet files and a Delta table that Delta Kernel
# reads, which its configuration does not reach. SOURCE_JARS: what XTable leaves to its users, Paimon's classes. Ends with 0 or 1 as the sync did, else XTable was not started.
OPTIONS="-XX:TieredStopAtLevel=1 -XX:+UseSerialGC" # little work: an optimising compiler costs more than it gives
for package in java.lang java.lang.invoke java.lang.reflect java.io java.net java.nio java.util java.util.concurrent \
  java.util.concurrent.atomic; do OPTIONS="$OPTIONS --add-opens=java.base/$package=ALL-UNNAMED"; done
for package in nio.ch nio.cs security.action util.calendar; do
  OPTIONS="$OPTIONS --add-opens=java.base/sun.$package=ALL-UNNAMED"; done
export SPARK_LOCAL_IP=127.0.0.1
JAVA="${JAVA_HOME:+$JAVA_HOME/bin/}java"
if [ -n "$XTABLE_FROM_CLASSPATH" ] && [ ! -e syncs.json ]; then
  XTABLE_CLASSPATH="$XTABLE_FROM_CLASSPATH" XTABLE_JAR=
fi
if [ -z "$XTABLE_JAR$XTABLE_CLASSPATH" ]; then
  echo "set XTABLE_JAR or XTABLE_CLASSPATH"
  exit 6
fi
if [ -n "$XTABLE_JAR" ] && [ -z "$WARM$FULL" ] && [ "$1" != PARQUET ] && [ "$1" != DELTA_BY_KERNEL ] && [ -z "$6" ]; then # $6: a property of the target
  exec "$JAVA" $OPTIONS -cp "$XTABLE_JAR${SOURCE_JARS:+:$SOURCE_JARS}" org.apache.xtable.utilities.RunSync --datasetConfig config.yaml
fi
exec "$JAVA" $OPTIONS -cp "${XTABLE_JAR:-$XTABLE_CLASSPATH}${SOURCE_JARS:+:$SOURCE_JARS}" "$(dirname "$0")/Sync.java" "$@"
