"""docs/translators.md: what XTable makes of each source format, to each target, counted from the register.

A run fails by what is registered and by nothing else, so the tables of the frozen outcomes and the blocks of
findings.toml say of each table the worst that the newest release does to it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

from lab.provision.checked_register import REGISTER, register
from lab.provision.plan import SMALL_TABLES
from lab.stack.versions import releases
from spark_jobs.battery.table import BatteryTable
from spark_jobs.recipes import RECIPES
from tools.frozen.digests import FOLDER, Frozen
from tools.pages.marks import with_part
from tools.translators import page
from xtable.writer import ICEBERG, ICEBERG_BY_KERNEL, WRITERS
from xtable_audit.claims.translation.history import every_sync_comes_through
from xtable_audit.model.finding import Blame, Verdict
from xtable_audit.model.subject_id import SubjectId
from xtable_audit.register.entry import Kind

BEGIN, END = "<!-- XTable's ways, by python -m tools translators --page -->", "<!-- end of XTable's ways -->"
RELEASE = releases()[0]
SOURCES = {"HUDI": "Hudi", "DELTA": "Delta", "PARQUET": "Parquet", "PAIMON": "Paimon", "ICEBERG_SOURCE": "Iceberg"}
FAILS_LATER = "a later sync fails"
EFFECTS = (*page.EFFECTS[:2], FAILS_LATER, *page.EFFECTS[2:])
"""Worst first."""
HEADS = ("source", "target", "tables", *EFFECTS)


def with_ways(text: str) -> str:
    """The page with a line for each way. Raises ValueError if it has no place for them."""
    return with_part(text, BEGIN, END, "\n".join(("", "", *_lines(), "", "")))


def ways() -> Mapping[tuple[str, str], Sequence[SubjectId]]:
    """Source and target in words -> the tables on which the newest release is audited."""
    found: dict[tuple[str, str], list[SubjectId]] = defaultdict(list)
    for id in map(SubjectId.parse, _audited()):
        if id.translator in WRITERS and (source := _source(id)):
            writer = WRITERS[id.translator]
            found[source, ICEBERG.words if writer is ICEBERG_BY_KERNEL else writer.words].append(id)
    order = [*SOURCES.values()]
    return dict(sorted(found.items(), key=lambda each: order.index(each[0][0].split(",")[0])))


def _audited() -> Sequence[str]:
    return sorted({table for path in FOLDER.glob(f"recorded-{RELEASE}*.json") for table in Frozen.load(path).tables})


def worst_of_each() -> Mapping[str, str]:
    """Table -> the worst that is registered of the newest release, unless the source's own layout is at fault, or what
    its own metrics lack.
    """
    found: dict[str, set[str]] = defaultdict(set)
    for entry in register(REGISTER):
        for one in entry.where:
            lacking = one.blame == Blame.ICEBERG and one.kind is Kind.QUALITY
            of_xtable = one.component == "xtable" and one.blame != Blame.SOURCE_LAYOUT and not lacking
            if of_xtable and not one.at_times and one.in_force(RELEASE.version):
                for subject in one.subjects:
                    found[subject] |= {effect(claim, one.verdict) for claim in one.claims}
    return {table: min(effects, key=EFFECTS.index) for table, effects in found.items()}


def effect(claim: str, verdict: Verdict) -> str:
    found = page.effect(verdict)
    return FAILS_LATER if found == "cannot be read" and claim == every_sync_comes_through.id else found


def _lines() -> Iterator[str]:
    worst = worst_of_each()
    yield page.row(*HEADS)
    yield page.rule(len(HEADS))
    for (source, target), tables in ways().items():
        effects = Counter(worst.get(str(id), EFFECTS[-1]) for id in tables)
        yield page.row(source, target, str(len(tables)), *(str(effects[one]) for one in EFFECTS))


def _source(id: SubjectId) -> str:
    """In words; "" for a table that XTable must refuse, which says nothing of how it translates."""
    table = SMALL_TABLES.get(id.dataset) or RECIPES[id.dataset]
    if isinstance(table, BatteryTable) and table.refused is not None:
        return ""
    words = SOURCES[table.format]
    if isinstance(table, BatteryTable) and table.by_delta_rs:
        words += ", by delta-rs"
    if table.format == "DELTA" and WRITERS[id.translator].to_iceberg:
        words += f", read by {'Delta Kernel' if WRITERS[id.translator].reads_by_kernel else 'Spark'}"
    return words
