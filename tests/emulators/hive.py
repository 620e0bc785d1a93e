"""A Hive metastore over Derby in memory, of the jars that PySpark brings, in a JVM of its own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

import pyspark
from py4j.java_gateway import GatewayParameters, JavaGateway, launch_gateway

from lab.stack.child import free_port
from lab.stack.java import find_java
from lab.stack.versions import stack

JARS = Path(pyspark.__file__).parent / "jars"
SETTINGS = {
    "javax.jdo.option.ConnectionURL": "jdbc:derby:memory:metastore;create=true",
    "datanucleus.schema.autoCreateAll": "true",
    "hive.metastore.schema.verification": "false",
}
OPTIONS = ["-Xmx256m", "-Dhive.async.log.enabled=false"]  # the asynchronous log needs a jar that PySpark leaves out


@contextmanager
def metastore(folder: Path) -> Iterator[str]:
    """Its URI, at 127.0.0.1: Hive's own `main` listens on every address. Raises Problem if there is no Java."""
    java = str(find_java(stack().java) / "bin" / "java")
    options = [*OPTIONS, f"-Dderby.stream.error.file={folder / 'derby.log'}"]
    with (folder / "log").open("w") as log:
        port = launch_gateway(
            classpath=f"{JARS}/*", javaopts=options, java_path=java, die_on_exit=True, redirect_stderr=log
        )
        gateway = JavaGateway(gateway_parameters=GatewayParameters(port=port))
        try:
            with _serving(gateway, folder) as uri:
                yield uri
        finally:
            gateway.shutdown()


@contextmanager
def _serving(gateway: JavaGateway, folder: Path) -> Iterator[str]:
    hive, thrift = gateway.jvm.org.apache.hadoop.hive, gateway.jvm.org.apache.thrift
    conf = hive.conf.HiveConf()
    for name, value in {**SETTINGS, "hive.metastore.warehouse.dir": f"file://{folder}/warehouse"}.items():
        conf.set(name, value)
    base = getattr(hive.metastore, "HiveMetaStore$HMSHandler")("base", conf, False)
    handler = hive.metastore.HiveMetaStore.newRetryingHMSHandler(base, conf, True)
    port = free_port()
    socket = thrift.transport.TServerSocket(gateway.jvm.java.net.InetSocketAddress("127.0.0.1", port))  # listens now
    arguments = getattr(thrift.server, "TThreadPoolServer$Args")(socket).stopTimeoutVal(1)
    server = thrift.server.TThreadPoolServer(arguments.processor(hive.metastore.TSetIpAddressProcessor(handler)))
    thread = Thread(target=server.serve, name="Hive metastore")
    thread.start()
    yield f"thrift://127.0.0.1:{port}"
    server.stop()
    thread.join()
