"""docs/findings: one page per finding, for an issue tracker, and an index. Made from register and evidence."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from xtable_audit.model.figures import few
from xtable_audit.model.finding import SEVERITY, Verdict, worst
from xtable_audit.model.result import Owner
from xtable_audit.model.rules import QUOTED, link_of
from xtable_audit.register.code import Code, Main
from xtable_audit.register.condition_in_words import condition_of
from xtable_audit.register.entry import NONE_KNOWN, Common, Entry, Kind, Where
from xtable_audit.report.finding_evidence import Evidence
from xtable_audit.report.release_states import newest_affected, owner_of, states
from xtable_audit.report.text import cell

MEANS = {
    Verdict.UNSOUND: "a reader that trusts it loses matching rows",
    Verdict.DUPLICATE: "readers return rows twice",
    Verdict.STALE: "readers return rows that the source no longer has, or miss its newest ones",
    Verdict.FAILED_SILENTLY: "something fails, and nothing reports it",
    Verdict.UNREADABLE: "there is no newer table to read, or readers raise an error",
    Verdict.LOOSE: "every answer is right, and readers open far too many files",
    Verdict.COSMETIC: "wrong, and no reader known to the suite is misled",
}
WHOSE = {
    "xtable": "XTable's",
    "xtable via hudi": "that of Hudi, which XTable relies on",
    "hudi": "Hudi's",
    "delta": "Delta's own statistics'",
    "iceberg": "that of what wrote the Iceberg source's metrics",
    "control": "that of the control translator, PyIceberg's `add_files`",
    "source layout": "the source's own layout's",
    "configuration": "the configuration's",
    "suite": "the suite's own",
    "reader": "the reader's",
    "writer": "the writer's",
}
WHY = {
    Kind.VIOLATION: "violation of a specification",
    Kind.MISTRANSLATION: "mistranslation: source and target disagree",
    Kind.LIMIT: "documented limit",
    Kind.UNVALIDATED_CONFIGURATION: "unvalidated configuration",
    Kind.QUALITY: "quality: legal, and slower than it could be",
}
PROJECTS = {"xtable": ("XTable's", "apache/incubator-xtable"), "hudi": ("Hudi's", "apache/hudi")}
"""Projects whose main branch is read: the name, and the repository."""
GENERATED = "<!-- made by `make findings` from findings.toml and evidence/: do not edit -->"
TABLES_NAMED = 12


def page(
    entry: Entry,
    seen: Evidence,
    releases: Mapping[str, Sequence[str]],
    reproduction: str,
    rule: str,
    alone: str = "",
    proofs: Mapping[str, str] = MappingProxyType({}),
    others: Mapping[str, Mapping[str, Sequence[str]]] = MappingProxyType({}),
) -> str:
    """The page of one finding.

    `releases` are the known releases of each component, oldest first. `reproduction` describes the table. `rule` is
    what the failing claim rests on. `alone` says how the finding is reproduced without this suite; "" if it cannot be.
    `proofs` describes the tables that prove the workaround, by id. `others` are tables of the finding, by translator
    other than XTable and by how it fares on them; each translator has all the ways, in one order.
    """
    return _fill(
        "finding.md.j2",
        entry=entry,
        seen=seen,
        best=seen.best,
        readers=sorted({reader for row in seen.answers for reader in row.readers}),
        facts=_facts(entry, seen, releases, rule),
        reproduction=reproduction,
        alone=alone,
        places=_places(entry),
        proofs=proofs,
        others={
            name: {fare: few(_coded(tables), TABLES_NAMED) for fare, tables in of.items()}
            for name, of in others.items()
        },
    )


def _fill(template: str, **values: Any) -> str:
    return _environment().get_template(template).render(values).rstrip() + "\n"


@cache
def _environment() -> Environment:
    loader = PackageLoader("xtable_audit.report", ".")
    made = Environment(loader=loader, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    made.filters |= {"cell": cell, "quoted": lambda text: f"`{' '.join(text.split()).replace('`', chr(39))}`"}
    made.globals |= {"generated": GENERATED, "place_of": place_of, "owner_of": owner_of}
    return made


def place_of(code: Code, tag: str) -> str:
    """The line at that tag or commit, as a link."""
    line = code.lines[tag]
    return f"[{_short(tag)}:{line}](https://github.com/{code.repository}/blob/{tag}/{code.path}#L{line})"


def _short(tag: str) -> str:
    """The tag, or the first digits of a commit."""
    return f"main {tag[:7]}" if re.fullmatch(r"[0-9a-f]{40}", tag) else tag


def index(entries: Sequence[Entry], releases: Mapping[str, Sequence[str]]) -> str:
    """The index: one line per finding, by how common its condition is, then worst first.

    `releases` are the known releases of each component, oldest first.
    """
    now = {entry.id: _now(entry, releases) for entry in entries}
    ordered = sorted(
        entries, key=lambda entry: (list(Common).index(entry.common), SEVERITY.index(now[entry.id][1]), entry.id)
    )
    verdicts, owners = Counter(verdict for _, verdict in now.values()), Counter(map(owner_of, entries))
    return _fill(
        "findings.md.j2",
        entries=ordered,
        now={id: words for id, (words, _) in now.items()},
        versions={entry.id: _versions(entry, releases) for entry in entries},
        counted=[f"{verdicts[one]} {one}" for one in SEVERITY if verdicts[one]],
        owners=[f"{one} {owners[one]}" for one in Owner if owners[one]],
        merged=sorted((id, entry.id) for entry in entries for id in entry.formerly),
    )


def _now(entry: Entry, releases: Mapping[str, Sequence[str]]) -> tuple[str, Verdict]:
    """The verdict today in words, and itself: of the component that the entry names first.

    A reader's releases are not known here: then the worst of all.
    """
    component = entry.components[0]
    known = releases.get(component, ())
    newest = newest_affected(entry, component, known)
    if newest is None:
        return str(verdict_of(entry)), verdict_of(entry)
    release, verdict = newest
    later = known[list(known).index(release) + 1 :]
    return (f"{verdict} in {release}, gone in {later[0]}" if later else str(verdict)), verdict


def verdict_of(entry: Entry) -> Verdict:
    return worst([one.verdict for one in entry.where if not one.at_times])


def _whose(blame: str) -> str:
    return WHOSE.get(blame) or f"{WHOSE[blame.partition(' ')[0]]} ({blame.partition(' ')[2]})"


def _kinds(entry: Entry) -> str:
    """`violation of a specification (UNSOUND), …`, in the order of their verdicts."""
    verdicts: dict[Kind, dict[str, None]] = {}
    for one in sorted(entry.where, key=lambda one: SEVERITY.index(one.verdict)):
        verdicts.setdefault(one.kind, {})[str(one.verdict)] = None
    return "; ".join(f"{WHY[kind]} ({', '.join(seen)})" for kind, seen in verdicts.items())


def _rule(rule: str) -> str:
    """The rule, with its section as a link."""
    section, colon, words = rule.partition(":")
    link = link_of(rule)
    return cell(f"[{section}]({link}){colon}{words}" if link else rule)


def _rules(entry: Entry, rule: str) -> str:
    """What the claim rests on, and what the entry names beside it."""
    return "<br>".join(_rule(one) for one in (rule, *(QUOTED[name] for name in entry.rules)))


def _remedy(entry: Entry) -> str:
    if entry.remedy == NONE_KNOWN:
        return "none avoids it" if entry.recovers else NONE_KNOWN
    tables = " and ".join(f"[`{table}`](#{_anchor(table)})" for table in entry.proven_by)
    claims = " and ".join(f"`{claim}`" for claim in entry.held_by)
    proof = [f"Proven by {tables}: the claims hold there."] if tables else []
    proof += [f"Proven by {claims}, which asks the finding's own tables so, and holds."] if claims else []
    return cell(" ".join([entry.remedy, *proof]))


def _recovers(entry: Entry) -> str:
    """What brings a table back that is hit."""
    tables = " and ".join(f"`{table}`" for table in entry.recovers_by)
    return cell(f"{entry.recovers} Done on {tables}: the claims hold afterwards ([reproduced.md](reproduced.md)).")


def _anchor(heading: str) -> str:
    """The anchor that GitHub gives a heading of letters, digits, `_`, `-` and `.`."""
    return heading.lower().replace(".", "")


def _threads(entry: Entry) -> str:
    threads = " · ".join(one.told(f"[{one.name}]({one.address})") for one in entry.threads)
    return cell(f"{threads or 'none found'}; searched on {entry.searched.isoformat()}")


def _versions(entry: Entry, releases: Mapping[str, Sequence[str]]) -> str:
    return "; ".join(_versions_of(entry, component, releases.get(component, ())) for component in entry.components)


def _versions_of(entry: Entry, component: str, known: Sequence[str]) -> str:
    """The known releases that are affected; where none is known, as of a reader, the ranges."""
    affected = [release for release, verdict in states(entry, component, known).items() if verdict]
    if not affected:
        ranges = dict.fromkeys(_range(one) for one in entry.where if one.component == component)
        return cell(f"{component} {', or '.join(ranges)}")
    after = " after an upgrade in place" if all(one.upgrade_from is not None for one in entry.where) else ""
    return f"{component} {', '.join(release.partition('-')[0] for release in affected)}{after}"


def _range(where: Where) -> str:
    """`>=0.3,<0.5 after an upgrade in place from >=0.2,<0.3`."""
    releases = ordered_range(str(where.releases))
    if where.upgrade_from is None:
        return releases
    return f"{releases} after an upgrade in place from {ordered_range(str(where.upgrade_from))}"


def ordered_range(text: str) -> str:
    """`>=0.2,<0.5`, independent of the order in the set."""
    return ",".join(sorted(text.split(","), key=lambda part: (part[0] != ">", part[0] != "<", part)))


def _facts(entry: Entry, seen: Evidence, releases: Mapping[str, Sequence[str]], rule: str) -> dict[str, str]:
    words, verdict = _now(entry, releases)
    facts = {
        "verdict": f"**{words}**: {MEANS[verdict]}{_warm(entry)}",
        "readers": _readers(seen),
        "kind": _kinds(entry),
        "rule": _rules(entry, rule),
        "cause": cell(entry.cause),
        "state": _state(entry, releases),
        "met by": f"{cell(condition_of(entry))}; {entry.common}",
        "threads": _threads(entry),
        "workaround": _remedy(entry),
        "recovers": _recovers(entry) if entry.recovers else "",
        "fault": "; ".join(dict.fromkeys(_whose(one.blame) for one in entry.where)),
        "seen with": cell(", ".join(f"{name} {version}" for name, version in seen.best.versions.items())),
    }
    return {name: words for name, words in facts.items() if words}


def _readers(seen: Evidence) -> str:
    """What readers returned of the tables in evidence."""
    answers = [one for row in seen.answers for one in row.readers.values()]
    wrong = max((row.wrong for row in seen.answers), default=0)
    if wrong:
        most = next(row for row in seen.answers if row.wrong == wrong)
        return f"{wrong} of {len(most.readers)} readers that were asked return wrong counts, and no error"
    if any(one.refused for one in answers):
        refused = max(sum(one.refused for one in row.readers.values()) for row in seen.answers)
        return (
            f"{refused} of {len(seen.answers[0].readers)} readers that were asked raise an error; none counts wrongly"
        )
    own = sorted({one.reader for one in seen.examples if one.reader})
    if own:
        return f"seen with {', '.join(own)}"
    return "none counts wrongly in what was asked" if answers else "none was asked about a query that the claim changes"


def _warm(entry: Entry) -> str:
    if entry.warm is None:
        return ""
    return cell(f". **In a warm JVM alone** at xtable {ordered_range(str(entry.warm.releases))}: {entry.warm.why}")


def _state(entry: Entry, releases: Mapping[str, Sequence[str]]) -> str:
    """Each known release of each component with its verdict; then the main branches that were read."""
    parts = []
    for component in entry.components:
        known = releases.get(component, ())
        found = states(entry, component, known)
        each = [f"{one} {found[one] or 'not there' if one in found else 'not tried'}" for one in known] if found else []
        parts.append(f"{component} {' · '.join(each)}" if each else _versions_of(entry, component, known))
    mains = [_main(component, main) for component in PROJECTS if (main := entry.main_of(component))]
    return ". ".join([*parts, " ".join(mains)] if mains else parts)


def _main(component: str, main: Main) -> str:
    name, repository = PROJECTS[component]
    link = f"[{main.commit[:7]}](https://github.com/{repository}/tree/{main.commit})"
    ran = f"`make reproduce` ended there with *fault {main.ran}*" if main.ran else "not run"
    read = f"By reading {link} of {main.day.isoformat()} on {main.read.isoformat()}; {ran}."
    return cell(f"{name} main: {main.state}. {main.why} ({read})")


def _places(entry: Entry) -> dict[str, dict[str, str]]:
    """What is registered alike, in words -> the names that its blocks have in each field."""
    alike: dict[str, list[Where]] = {}
    for one in entry.where:
        seldom = f" at times ({one.at_times})" if one.at_times else ""
        asked = ", seen by readers" if one.readers else ""
        alike.setdefault(f"{one.verdict}{seldom}, {one.kind}, {one.component} {_range(one)}{asked}", []).append(one)
    fields = ("columns", "readers", "questions", "claims")
    return {
        kind: {"subjects": few(_each(blocks, "subjects"), TABLES_NAMED)}
        | {field: ", ".join(_each(blocks, field)) for field in fields}
        for kind, blocks in alike.items()
    }


def _each(blocks: Sequence[Where], field: str) -> list[str]:
    """The names that the blocks have in a field."""
    return _coded(name for one in blocks for name in getattr(one, field))


def _coded(names: Iterable[str]) -> list[str]:
    """The names, each once, as code."""
    return [f"`{name}`" for name in dict.fromkeys(names)]
