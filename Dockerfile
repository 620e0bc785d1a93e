# Two images for CI, for the one `container:` line of a job:
#   docker build .                  the judge alone, without Spark, Java and readers, for `xtable-audit check`
#   docker build --target gate .    the suite in /suite with its readers, PySpark and a JDK, for `make audit` and `make gate`
# Tests build both on stand-ins of their bases, as root; they check a table of a disk and one in MinIO, audit one, and gate:
#   XTABLE_AUDIT_ENGINE=1 pytest tests/containers/test_image.py --every-table
# `docker build --build-arg EXTRAS=glue,hive .` chooses what catalogs need: glue, hive, gcs, adls, or nothing.
FROM python:3.13-slim AS build
ARG EXTRAS=glue
WORKDIR /source
COPY pyproject.toml README.md LICENSE findings.toml findings.code.toml findings.extents.json ./
COPY docs/findings ./docs/findings
COPY xtable_audit ./xtable_audit
RUN python -m venv /opt/xtable-audit \
 && /opt/xtable-audit/bin/pip install --no-cache-dir --disable-pip-version-check ".${EXTRAS:+[$EXTRAS]}" \
 && /opt/xtable-audit/bin/pip uninstall --yes pip

FROM python:3.13-slim AS check
COPY --from=build /opt/xtable-audit /opt/xtable-audit
RUN useradd --create-home --uid 10001 audit
USER 10001
WORKDIR /home/audit
ENV PATH=/opt/xtable-audit/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1
ENTRYPOINT ["xtable-audit"]
CMD ["--help"]

FROM eclipse-temurin:17-jdk-jammy AS java

FROM python:3.13-slim AS gate
COPY --from=java /opt/java/openjdk /opt/java/openjdk
ENV JAVA_HOME=/opt/java/openjdk PATH=/opt/java/openjdk/bin:$PATH
# The account is the one of GitHub's runners, so that a job in this image may write into its checkout.
RUN apt-get update \
 && apt-get install -y --no-install-recommends git make \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --create-home --uid 1001 audit \
 && install -d -o audit /suite
USER 1001
WORKDIR /suite
COPY --chown=1001 Makefile requirements.txt ./
RUN PIP_NO_CACHE_DIR=1 make .venv/.ready
COPY --chown=1001 . .
# A layer of before may hold .venv: a later checkout's requirements.txt is younger, and make would install it again.
RUN touch .venv/.ready
CMD ["make"]

FROM check
