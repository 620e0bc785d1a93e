# xtable-audit for CI: the judge alone, without Spark, Java and readers. Tests build it on a stand-in of its base, as root,
# and check a table of a disk and one in MinIO: XTABLE_AUDIT_ENGINE=1 pytest tests/containers/test_image.py --every-table
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

FROM python:3.13-slim
COPY --from=build /opt/xtable-audit /opt/xtable-audit
RUN useradd --create-home --uid 10001 audit
USER 10001
WORKDIR /home/audit
ENV PATH=/opt/xtable-audit/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1
ENTRYPOINT ["xtable-audit"]
CMD ["--help"]
