"""Why a Trino did not start, in its log's own words. The lines are those of Trino 476, shortened."""

from __future__ import annotations

import pytest

from lab.engines.trino.ready import reason

CONFIGURATION = """\
2026-11-21T14:39:13.116Z	ERROR	main	io.trino.server.Server	Configuration is invalid
==========

Errors:

1) Configuration property 'node.data-dir' was not used. Did you mean to use 'node.id'?

2) Configuration property 'x' was not used.

==========
"""
STACK = """\
2026-11-21T15:02:13.668Z	ERROR	main	io.trino.server.Server	Unable to create injector, see the following errors:

1) [Guice/ErrorInCustomProvider]: NullPointerException: Cannot invoke "Injector.getInstance(Key)"
  at ServerMainModule.createQueryManager(ServerMainModule.java:1)
Caused by: NullPointerException: Cannot invoke "Injector.getInstance(Key)" because "this.injector" is null
	... 3 more

2) [Guice/ErrorInjectingConstructor]: UncheckedIOException: Failed to bind to /127.0.0.1:18081
Caused by: UncheckedIOException: Failed to bind to /127.0.0.1:18081
	at HttpServer.start(HttpServer.java:2)
Caused by: BindException: Address already in use
	... 5 more

3) [Guice/ErrorInjectingConstructor]: UncheckedIOException: Failed to bind to /127.0.0.1:18081
Caused by: UncheckedIOException (same stack trace as error #2)
"""
JAVA = "ERROR: Trino requires Java 24 or newer (found 17.0.2)\n"


@pytest.mark.parametrize(
    ("log", "cause"),
    [
        (CONFIGURATION, "Configuration property 'node.data-dir' was not used. Did you mean to use 'node.id'?"),
        (STACK, "BindException: Address already in use"),
        (JAVA, "Trino requires Java 24 or newer (found 17.0.2)"),
        ("INFO all is well\n", None),
    ],
    ids=["configuration", "exception", "verification", "nothing"],
)
def test_the_reason_is_found(log: str, cause: str | None) -> None:
    assert reason(log) == cause
