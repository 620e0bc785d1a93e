"""The command line that all dataset scripts share."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from spark_jobs.recipes import Recipe
from spark_jobs.volume import DEFAULT_SCALE, DEFAULT_SEED
from xtable_audit.access.s3 import S3
from xtable_audit.model.problem import Problem


@dataclass(frozen=True)
class Arguments:
    """One run of a dataset script."""

    target: str  # s3://bucket/prefix or file:///path
    scale: float
    seed: int
    tlc: Path | None
    year: int
    jars: tuple[Path, ...]  # none: resolved by the stack
    java_home: Path | None
    cores: int
    memory: str

    @property
    def store(self) -> S3 | None:
        """As `store_of` the target."""
        return store_of(self.target)


def parse(recipe: Recipe, arguments: Sequence[str] | None = None) -> Arguments:
    """Reads the command line (`arguments` or the process's own); argparse ends the process when it is wrong."""
    parser = argparse.ArgumentParser(
        prog=f"python -m {recipe.module}",
        description=f"Write the dataset {recipe.name}: {recipe.description}",
        epilog="Prints one line of JSON on stdout: rows, files, seconds, versions. Everything else goes to stderr. "
        "Exit code 2 means bad input or a missing part; the last line says what to do.",
    )
    parser.add_argument(
        "target",
        type=location,
        help="an empty place: s3://bucket/prefix (store from the usual AWS_… variables), file:///path or a path",
    )
    source = parser.add_mutually_exclusive_group()
    source.add_argument(
        "--scale",
        type=float,
        default=DEFAULT_SCALE,
        help="size of the generated data, 1 = 9,384,433 rows (default %(default)s); "
        "the 85 stray rows of April are kept at every scale",
    )
    source.add_argument(
        "--tlc", type=Path, metavar="DIR", help="a folder of monthly TLC files of one colour, instead of generated data"
    )
    parser.add_argument(
        "--seed", type=int, default=DEFAULT_SEED, help="seed of the generated data (default %(default)s)"
    )
    parser.add_argument(
        "--year", type=int, default=2023, help="with --tlc: keep trips picked up in this year (default %(default)s)"
    )
    parser.add_argument(
        "--jars",
        type=paths,
        default=(),
        metavar="A,B",
        help="jars to run with, separated by commas (default: the stack's own, from the cache)",
    )
    parser.add_argument("--java-home", type=Path, metavar="DIR", help="a JDK 17 (default: an installed one)")
    parser.add_argument(
        "--cores", type=int, default=min(4, os.cpu_count() or 1), help="threads of Spark (default %(default)s)"
    )
    parser.add_argument("--memory", default="2g", help="heap of Spark's JVM (default %(default)s)")
    return Arguments(**vars(parser.parse_args(arguments)))


def location(text: str) -> str:
    """One spelling of a target: `s3://bucket/prefix` or `file:///absolute/path`, without a slash at the end."""
    parts = urlsplit(text)
    if parts.scheme in ("s3", "s3a"):
        if not parts.netloc or not parts.path.strip("/"):
            raise argparse.ArgumentTypeError(f"{text} names no prefix in a bucket: write s3://bucket/prefix")
        return f"s3://{parts.netloc}/{parts.path.strip('/')}"
    if parts.scheme not in ("", "file"):
        raise argparse.ArgumentTypeError(f"{text} is neither an s3:// address nor a local path")
    return Path(parts.path if parts.scheme else text).absolute().as_uri()


def store_of(target: str) -> S3 | None:
    """A target's store, from the usual AWS environment; None where the target is a local folder.

    Raises Problem where the environment holds no credential.
    """
    if urlsplit(target).scheme != "s3":
        return None
    store = S3.from_environment()
    if not (store.access_key and store.secret_key):
        raise Problem("No credential for the store: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.")
    return store


def paths(text: str) -> tuple[Path, ...]:
    """A comma-separated list of paths."""
    return tuple(Path(part) for part in text.split(",") if part)
