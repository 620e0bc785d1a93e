#!/bin/sh
# One sync in a JVM of its own. XTABLE_JAR: the bundled jar that you built, by its command line; else XTABLE_CLASSPATH:
# xtable-core of a release with what it needs, by the class that the command line calls. For an upgrade in place
# XTABLE_FROM_CLASSPATH: the release that makes the first sync.
for package in java.lang java.lang.invoke java.lang.reflect java.io java.net java.nio java.util java.util.concurrent \
  java.util.concurrent.atomic; do OPENS="$OPENS --add-opens=java.base/$package=ALL-UNNAMED"; done
for package in nio.ch nio.cs security.action util.calendar; do
  OPENS="$OPENS --add-opens=java.base/sun.$package=ALL-UNNAMED"; done
export SPARK_LOCAL_IP=127.0.0.1
JAVA="${JAVA_HOME:+$JAVA_HOME/bin/}java"
if [ -n "$XTABLE_JAR" ]; then
  exec "$JAVA" $OPENS -cp "$XTABLE_JAR" org.apache.xtable.utilities.RunSync --datasetConfig config.yaml
fi
[ -n "$XTABLE_FROM_CLASSPATH" ] && [ ! -e syncs.json ] && XTABLE_CLASSPATH="$XTABLE_FROM_CLASSPATH"
exec "$JAVA" $OPENS -cp "${XTABLE_CLASSPATH:?set XTABLE_JAR, or XTABLE_CLASSPATH}" "$(dirname "$0")/Sync.java" "$@"
