"""Where XTable's metadata comes from in a run: a release or a jar that runs, or a recording."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from lab.provision.plan import ON_REQUEST, Plan
from lab.provision.recorded_translations import archives_of
from lab.provision.targets import demand_recorded_on_request, writers_of
from lab.stack.cache import Cache
from lab.stack.jars import Unresolvable, check_resolvable, is_resolvable
from lab.stack.versions import release, releases
from xtable.bundled import check_bundle
from xtable.replay import (
    BATTERY_RECORDINGS,
    RECORDINGS,
    Recording,
    checked,
    newest_recording,
    not_recorded,
    recorded_releases,
    unpacked,
)
from xtable.writer import Way
from xtable.zone import UTC
from xtable_audit.model.problem import Problem
from xtable_audit.model.subject_id import ICEBERG

NONE_RESOLVES = "no release resolves here, neither from the local Maven repository nor online"


@dataclass(frozen=True)
class ChosenTranslation:
    """Where XTable's metadata comes from in this run, decided before the first test."""

    mode: Literal["live", "recorded", "absent"]
    release: str
    """XTable's version. For a user's jar, the version in it, else its name."""
    reason: str = ""
    """Why it is not live, as a clause."""
    datasets: tuple[str, ...] | None = None
    """The datasets in the recording of an upgrade in place; None if all are available."""
    recorded_on: str | None = None
    """The day on which the recording was made, as in ISO 8601."""


def decide(plan: Plan) -> ChosenTranslation:
    """The translation that the options select.

    Raises Problem for what is no version or an unusable jar, Unresolvable for a release that no repository has. A known
    release exists: if it does not resolve here, what needs no XTable runs all the same.
    """
    choice = _chosen(plan)
    if choice.mode == "live" and plan.upgrade_from and not (since := release(plan.upgrade_from)).known:
        check_resolvable(since)
    return choice


def _chosen(plan: Plan) -> ChosenTranslation:
    if plan.xtable_jar is not None:
        return ChosenTranslation("live", check_bundle(plan.xtable_jar))
    if plan.recorded or plan.xtable == "recorded":
        return _recorded(plan, "the options select recordings only")
    if plan.xtable == "auto":
        for candidate in releases():
            if is_resolvable(candidate):
                return ChosenTranslation("live", candidate.version)
        if plan.zone != UTC:
            raise Unresolvable(f"--zone {plan.zone}: {NONE_RESOLVES}, and recordings were made in {UTC}.")
        if plan.source_format in ON_REQUEST:
            try:
                demand_recorded_on_request(plan)
            except Problem as problem:
                raise Unresolvable(f"--source-format {plan.source_format}: {NONE_RESOLVES}, and {problem}") from None
        return _recorded(plan, NONE_RESOLVES)
    named = release(plan.xtable)
    try:
        check_resolvable(named)
    except Unresolvable:
        if not named.known:
            raise
        return ChosenTranslation(
            "absent", named.version, "it resolves neither from the local Maven repository nor online"
        )
    return ChosenTranslation("live", named.version)


def _recorded(plan: Plan, reason: str) -> ChosenTranslation:
    """The recorded release of `--xtable`, else the newest. Raises Problem for a release that is not recorded."""
    if plan.source_format == ICEBERG:
        return _recorded_elsewhere(plan, reason)
    packed = unpacked(plan.archives, Cache()) if plan.source_format in ON_REQUEST else RECORDINGS
    version = newest_recording(packed) if plan.xtable in ("auto", "recorded") else plan.xtable
    if plan.upgrade_from is not None and plan.target != ICEBERG:
        raise Unresolvable("No upgrade in place of a Delta log is recorded: run it live, by a release that resolves.")
    if plan.upgrade_from is not None and plan.reads_by_kernel:
        raise Unresolvable("No upgrade in place by Delta Kernel is recorded: run it live, by a release that resolves.")
    recording = Recording.open(version, packed)
    assert recording.release is not None
    if plan.upgrade_from is None:
        return ChosenTranslation("recorded", recording.release, reason, recorded_on=recording.day)
    in_place = Recording.open(version, unpacked(BATTERY_RECORDINGS, Cache()), plan.upgrade_from)
    return ChosenTranslation("recorded", recording.release, reason, in_place.datasets, in_place.day)


def _recorded_elsewhere(plan: Plan, reason: str) -> ChosenTranslation:
    """As `_recorded`, of tables of which no Iceberg metadata is recorded, which other writers' is beside."""
    archives = archives_of(writers_of(plan)[0], plan.archives)
    packed = unpacked(archives, Cache()) if archives.is_dir() else archives
    version = newest_recording(packed) if plan.xtable in ("auto", "recorded") else release(plan.xtable).version
    if version not in recorded_releases(packed):
        raise not_recorded(Way.of(version), packed)
    day = str(checked(packed / version)["recorded_at"])[:10]
    return ChosenTranslation("recorded", version, reason, recorded_on=day)
