"""Pulls a container image if this machine lacks it, and shows the progress."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from xtable_audit.model.problem import Problem

if TYPE_CHECKING:
    import docker


def have_image(client: docker.DockerClient, image: str, report: Callable[[str], None]) -> None:
    """Pulls the image unless it is here. Raises Problem, with the registry's reason, if it cannot be pulled.

    docker-py's own `images.pull` swallows that reason.
    """
    from docker.errors import APIError, ImageNotFound

    try:
        client.images.get(image)
    except ImageNotFound:
        report(f"pulling {image}")
        try:
            _watch(client.api.pull(image, stream=True, decode=True), image, report)
        except APIError as error:
            raise _not_pulled(image, reason_of(error)) from error


def _watch(lines: Iterator[dict[str, Any]], image: str, report: Callable[[str], None]) -> None:
    """Shows how much has arrived, as far as Docker reports it; raises Problem if Docker reports a failed pull.

    It raises after reading the whole answer: an answer that is not read to its end leaves its connection open.
    """
    layers: dict[str, tuple[int, int]] = {}
    failed = ""
    for line in lines:
        failed = failed or line.get("error", "")
        detail = line.get("progressDetail") or {}
        if line.get("status") == "Downloading" and "total" in detail:
            layers[line["id"]] = (detail["current"], detail["total"])
            done, total = (sum(column) / 1e6 for column in zip(*layers.values(), strict=True))
            report(f"pulling {image}, {done:.0f} of {total:.0f} MB")
    if failed:
        raise _not_pulled(image, failed)


def _not_pulled(image: str, reason: str) -> Problem:
    return Problem(
        f"The image {image} cannot be pulled ({reason.strip()}). Check its name and the network; `docker pull {image}` "
        "must work here."
    )


def reason_of(error: Exception) -> str:
    """The first 300 characters of the error, on one line."""
    words = getattr(error, "explanation", None) or str(error) or type(error).__name__
    return " ".join(str(words).split())[:300]
