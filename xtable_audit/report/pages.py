"""docs/findings: one page per finding, for an issue tracker, and an index. Made from register and evidence."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from xtable_audit.model.figures import few
from xtable_audit.model.finding import SEVERITY, Finding, Verdict, worst
from xtable_audit.model.owner import Owner
from xtable_audit.model.rules import QUOTED, link_of
from xtable_audit.register.entry import NONE_KNOWN, Code, Common, Condition, Entry, Kind, Main, Where
from xtable_audit.report.finding_evidence import Evidence, ReaderCount
from xtable_audit.report.markdown import cell
from xtable_audit.report.release_states import newest_affected, owner_of, states

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
COMMONEST_FIRST = (Common.EVERYDAY, Common.OCCASIONAL, Common.RARE)


def page(
    entry: Entry,
    seen: Evidence,
    releases: Mapping[str, Sequence[str]],
    reproduction: str,
    rule: str,
    alone: str = "",
    proofs: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """The page of one finding.

    `releases` are the known releases of each component, oldest first. `reproduction` describes the table. `rule` is
    what the failing claim rests on. `alone` says how the finding is reproduced without this suite; "" if it cannot be.
    `proofs` describes the tables that prove the workaround, by id.
    """
    best = seen.best
    parts = [
        GENERATED,
        f"# {entry.id}: {entry.title}",
        "",
        *_facts(entry, seen, releases, rule),
        "",
        "## What happens",
        "",
        f"This claim fails: {best.sentence}." + (f" Column `{best.column}`." if best.column else ""),
        "",
        *_quote("seen", best.saw),
        *_quote("expected", best.expected),
        *(_quote("example", best.example) if best.example else ()),
        "",
        *_why(best),
        "",
        *_code(entry),
        "## Smallest reproduction",
        "",
        *((alone, "") if alone else ()),
        reproduction.rstrip(),
        "",
        "With this suite:",
        "",
        *_block("sh", f"{best.again} -rx"),
        "",
        "## Evidence",
        "",
        *_examples(seen),
        *_answers(seen),
        *_log(best),
        "",
        "## Impact",
        "",
        *_impact(seen),
        "",
        *_places(entry),
        "",
        *_proofs(proofs),
    ]
    return "\n".join(parts).rstrip() + "\n"


def _code(entry: Entry) -> Iterator[str]:
    """Where in the sources it goes wrong, as links, and the stack trace."""
    if not entry.code:
        return
    yield "## Where in the code"
    yield ""
    for one in entry.code:
        links = ", ".join(place_of(one, tag) for tag in one.lines)
        yield f"- `{one.method}` of {one.repository}, at `{one.word}`: {one.wrong} {links}"
    yield ""
    if entry.trace:
        yield from _block("", entry.trace.strip())
        yield ""


def place_of(code: Code, tag: str) -> str:
    """The line at that tag or commit, as a link."""
    line = code.lines[tag]
    return f"[{_short(tag)}:{line}](https://github.com/{code.repository}/blob/{tag}/{code.file}#L{line})"


def _short(tag: str) -> str:
    """The tag, or the first digits of a commit."""
    return f"main {tag[:7]}" if re.fullmatch(r"[0-9a-f]{40}", tag) else tag


def index(entries: Sequence[Entry], releases: Mapping[str, Sequence[str]]) -> str:
    """The index: one line per finding, by how common its condition is, then worst first.

    `releases` are the known releases of each component, oldest first.
    """
    now = {entry.id: _now(entry, releases) for entry in entries}
    ordered = sorted(
        entries, key=lambda entry: (COMMONEST_FIRST.index(entry.common), SEVERITY.index(now[entry.id][1]), entry.id)
    )
    rows = [
        f"| [{entry.id}]({entry.id}.md) | {cell(entry.title)} | {entry.common} | {now[entry.id][0]} "
        f"| {_versions(entry, releases)} | {len(entry.subjects)} | {owner_of(entry)} |"
        for entry in ordered
    ]
    counted = ", ".join(
        f"{number} {verdict}" for verdict in SEVERITY if (number := sum(one is verdict for _, one in now.values()))
    )
    owners = Counter(map(owner_of, entries))
    whose = ", ".join(f"{one} {owners[one]}" for one in Owner if owners[one])
    lines = [
        GENERATED,
        "# Known findings",
        "",
        f"{len(entries)} entries of [findings.toml](../../findings.toml): {counted}.",
        f"By whose bug it is: {whose}.",
        "The verdict is that of the newest release that has the finding; its page has every release's.",
        "Each was seen on real syncs. It must occur within its range of versions, and not outside it.",
        "Withdrawn findings are in [withdrawn.md](withdrawn.md), each with its reason.",
        "How the script of each ended at each release is in [reproduced.md](reproduced.md).",
        "The places in the sources at which they arise are in [code.md](code.md), with the day they were read.",
        *_merged(entries),
        "",
        "| | finding | how common | verdict | versions | tables | whose |",
        "|---|---|---|---|---|---|---|",
        *rows,
    ]
    return "\n".join(lines) + "\n"


def _merged(entries: Sequence[Entry]) -> Iterator[str]:
    merged = sorted((id, entry.id) for entry in entries for id in entry.formerly)
    if merged:
        yield f"Ids that are retired: {', '.join(f'{old} is part of {new}' for old, new in merged)}."


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


def _blames(entry: Entry) -> list[str]:
    return list(dict.fromkeys(str(one.blame) for one in entry.where))


def _kinds(entry: Entry) -> str:
    """`violation of a specification (UNSOUND), …`, in the order of their verdicts."""
    verdicts: dict[Kind, dict[str, None]] = {}
    for one in sorted(entry.where, key=lambda one: SEVERITY.index(one.verdict)):
        verdicts.setdefault(one.kind, {})[str(one.verdict)] = None
    return "; ".join(f"{WHY[kind]} ({', '.join(seen)})" for kind, seen in verdicts.items())


def _condition(condition: Condition) -> str:
    parts = [f"types {', '.join(condition.types)}"] if condition.types else []
    parts += [condition.values] if condition.values else []
    parts += [f"settings {', '.join(f'`{setting}`' for setting in condition.settings)}"] if condition.settings else []
    return cell("; ".join(parts))


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


def _facts(entry: Entry, seen: Evidence, releases: Mapping[str, Sequence[str]], rule: str) -> Iterator[str]:
    words, verdict = _now(entry, releases)
    yield "| | |"
    yield "|---|---|"
    yield f"| verdict | **{words}**: {MEANS[verdict]}{_warm(entry)} |"
    yield f"| readers | {_readers(seen)} |"
    yield f"| kind | {_kinds(entry)} |"
    yield f"| rule | {_rules(entry, rule)} |"
    yield f"| cause | {cell(entry.cause)} |"
    yield f"| state | {_state(entry, releases)} |"
    yield f"| met by | {_condition(entry.condition)}; {entry.common} |"
    yield f"| threads | {_threads(entry)} |"
    yield f"| workaround | {_remedy(entry)} |"
    if entry.recovers:
        yield f"| recovers | {_recovers(entry)} |"
    yield f"| fault | {'; '.join(dict.fromkeys(_whose(blame) for blame in _blames(entry)))} |"
    yield f"| seen with | {cell(', '.join(f'{name} {version}' for name, version in seen.best.versions.items()))} |"


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
        each = [f"{release} {verdict or 'not there'}" for release, verdict in states(entry, component, known).items()]
        parts.append(f"{component} {' · '.join(each)}" if each else _versions_of(entry, component, known))
    mains = [_main(component, main) for component in PROJECTS if (main := entry.main_of(component))]
    return ". ".join([*parts, " ".join(mains)] if mains else parts)


def _main(component: str, main: Main) -> str:
    name, repository = PROJECTS[component]
    link = f"[{main.commit[:7]}](https://github.com/{repository}/tree/{main.commit})"
    ran = f"`make reproduce` ended there with *fault {main.ran}*" if main.ran else "not run"
    read = f"By reading {link} of {main.day.isoformat()} on {main.read.isoformat()}; {ran}."
    return cell(f"{name} main: {main.state}. {main.why} ({read})")


def _why(best: Finding) -> Iterator[str]:
    yield f"Blame: {best.because}."


def _examples(seen: Evidence) -> Iterator[str]:
    yield "| failing claim | table | reader | seen | expected | live files | their rows |"
    yield "|---|---|---|---|---|---|---|"
    for one in seen.examples:
        impact = one.impact
        yield (
            f"| {cell(one.sentence)} | `{one.table}` | {one.reader or ''} | {cell(one.saw)} "
            f"| {cell(one.expected)} | {impact.files} of {impact.files_total} "
            f"| {impact.rows} of {impact.rows_total} |"
        )


def _answers(seen: Evidence) -> Iterator[str]:
    """Rows that readers count, next to the actual number."""
    if not seen.answers:
        return
    readers = sorted({reader for row in seen.answers for reader in row.readers})
    yield ""
    yield "Rows that readers count, beside the actual number:"
    yield ""
    yield f"| `{seen.answers[0].table}` WHERE | actual | {' | '.join(readers)} |"
    yield "|---|---|" + "---|" * len(readers)
    for row in seen.answers:
        cells = [_rows(row.readers.get(reader), row.rows) for reader in readers]
        yield f"| `{cell(row.predicate)}` | {row.rows} | {' | '.join(cells)} |"


def _rows(counted: ReaderCount | None, actual: int) -> str:
    if counted is None:
        return ""
    if counted.refused:
        return "refuses"
    return str(counted.rows) if counted.rows == actual else f"**{counted.rows}**"


def _log(best: Finding) -> Iterator[str]:
    if best.log:
        yield ""
        yield "XTable's own log, at its end:"
        yield ""
        yield from _block("", best.log)


def _impact(seen: Evidence) -> Iterator[str]:
    yield "| release | claims | tables | files, live or missing | rows of live files |"
    yield "|---|---|---|---|---|"
    for release, cost in seen.costs.items():
        yield f"| {release} | {cost.claims} | {cost.tables} | {cost.files} | {cost.rows} |"


def _places(entry: Entry) -> Iterator[str]:
    yield "Registered for:"
    yield ""
    alike: dict[str, list[Where]] = {}
    for one in entry.where:
        seldom = f" at times ({one.at_times})" if one.at_times else ""
        alike.setdefault(f"{one.verdict}{seldom}, {one.kind}, {one.component} {_range(one)}", []).append(one)
    for kind, blocks in alike.items():
        yield f"- {kind}: {few(_each(blocks, 'subjects'), TABLES_NAMED)}"
        for field in ("columns", "readers", "questions"):
            if names := _each(blocks, field):
                yield f"  - {field} {', '.join(names)}"
        yield f"  - claims {', '.join(_each(blocks, 'claims'))}"


def _each(blocks: Sequence[Where], field: str) -> list[str]:
    """The names that the blocks have in a field, each once, as code."""
    return [f"`{name}`" for name in dict.fromkeys(name for one in blocks for name in getattr(one, field))]


def _proofs(proofs: Mapping[str, str]) -> Iterator[str]:
    if proofs:
        yield "## The workaround's proof"
        yield ""
        yield "The claims that fail above hold on these tables, at the same releases:"
    for table, words in proofs.items():
        yield ""
        yield f"### {table}"
        yield ""
        yield words.rstrip()


def _quote(name: str, text: str) -> Iterator[str]:
    yield f"- {name}: `{' '.join(text.split()).replace('`', chr(39))}`"


def _block(language: str, text: str) -> Iterator[str]:
    yield f"```{language}"
    yield text
    yield "```"
