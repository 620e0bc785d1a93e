"""The register: what may stand in it, and when an entry is in force."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from packaging.specifiers import SpecifierSet

from tests.of_each import of_each
from tests.xtable_audit.report.runs import claim, document
from xtable_audit.model.deviation_kind import DeviationKind
from xtable_audit.model.finding import Blame, Finding, Impact, Verdict
from xtable_audit.register.entry import (
    NONE_KNOWN,
    Common,
    Kind,
    Warm,
    overlap,
)
from xtable_audit.register.register import BadRegister, Entry, base_version, load_register, now_called

CLAIM = "bounds_contain_values"
OTHER = "null_counts_are_exact"
FIELDS = {
    "title": '"bounds of doubles are lost"',
    "component": '"xtable"',
    "cause": '"the converter drops them"',
    "condition": '"columns of doubles"',
    "common": '"everyday"',
    "threads": '[{ same = "https://github.com/apache/incubator-xtable/issues/1", state = "open" }]',
    "searched": '"2026-11-22"',
    "remedy": '"write no doubles"',
    "acts_on": '"source"',
    "proven_by": '["types_text-xtable"]',
    "claims": f'["{CLAIM}"]',
    "subjects": '["good_layout-xtable"]',
    "releases": '">=0.3,<0.5"',
    "verdict": '"UNSOUND"',
    "kind": '"violation"',
    "blame": '"xtable"',
}
SUBJECTS = {"good_layout-xtable", "bad_layout-xtable", "types_nan-xtable", "types_nan-control", "types_text-xtable"}


def entry(**changed: str | None) -> str:
    return f"[{changed.pop('id', 'XTF-001')}]\n{lines(changed)}"


def lines(changed: dict[str, str | None]) -> str:
    fields = {name: value for name, value in (FIELDS | changed).items() if value is not None}
    return "\n".join([*(f"{name} = {value}" for name, value in fields.items()), ""])


def divided(*blocks: dict[str, str], **changed: str | None) -> str:
    """An entry whose claims and subjects stand in blocks of their own."""
    head = entry(**{"claims": None, "subjects": None} | changed)
    wheres = [f"  {{ {', '.join(f'{n} = {v}' for n, v in block.items())} }}," for block in blocks]
    return "\n".join([head, "where = [", *wheres, "]", ""])


def load(folder: Path, *entries: str) -> tuple[Entry, ...]:
    path = folder / "findings.toml"
    path.write_text("\n".join(entries), encoding="utf-8")
    return load_register(
        path, claims={CLAIM, OTHER}, subjects=SUBJECTS, readers={"daft", "duckdb"}, components={"xtable", "daft"}
    )


def test_whole_entry_is_read(tmp_path: Path) -> None:
    (known,) = load(tmp_path, entry())
    [where] = known.where
    assert (where.claims, where.subjects, where.verdict, where.kind, where.blame) == (
        (CLAIM,),
        ("good_layout-xtable",),
        Verdict.UNSOUND,
        Kind.VIOLATION,
        Blame.XTABLE,
    )
    assert (known.condition, known.common, known.searched) == (
        "columns of doubles",
        Common.EVERYDAY,
        date(2026, 11, 22),
    )


@pytest.mark.parametrize(("component", "blame"), [("xtable", Blame.XTABLE), ("daft", Blame.reader("daft"))])
def test_a_component_is_to_blame_where_the_block_names_nobody_else(
    tmp_path: Path, component: str, blame: Blame
) -> None:
    [known] = load(tmp_path, entry(component=f'"{component}"', blame=None, readers='["daft"]'))
    assert [one.blame for one in known.where] == [blame]


def test_registers_of_before_list_their_entries(tmp_path: Path) -> None:
    listed = '[[finding]]\nid = "XTF-001"\n' + lines({})
    assert load(tmp_path, listed) == load(tmp_path, entry())


def test_empty_register_holds_nothing(tmp_path: Path) -> None:
    assert load(tmp_path) == ()


HERE = {"claims": f'["{CLAIM}"]', "subjects": '["types_nan-xtable"]'}


BAD = {
    "no TOML": (["[[finding"], "findings.toml cannot be read: "),
    "a field missing": ([entry(releases=None)], "XTF-001 has no releases."),
    "two fields missing": ([entry(title=None, cause=None)], "XTF-001 has no cause, title."),
    "a remedy without proof": (
        [entry(proven_by=None)],
        "XTF-001 has a remedy without proven_by; name the table that proves it, or say 'none known'.",
    ),
    "a remedy that does not say what it changes": (
        [entry(acts_on=None)],
        "XTF-001 has a remedy without acts_on; say what it changes: source, sync, configuration, reader, metadata.",
    ),
    "a remedy that changes something else": (
        [entry(acts_on='"engine"')],
        "XTF-001: 'engine' is no word for acts_on; there are source, sync, configuration, reader, metadata.",
    ),
    "what no remedy changes": (
        [entry(remedy='"none known"', proven_by=None)],
        "XTF-001 has acts_on for a remedy that is 'none known'; say the remedy.",
    ),
    "a proof of no remedy": (
        [entry(remedy='"none known"', acts_on=None)],
        "XTF-001 has proven_by for a remedy that is 'none known'; say the remedy.",
    ),
    "claims that hold with no remedy": (
        [entry(remedy='"none known"', acts_on=None, proven_by=None, held_by=f'["{CLAIM}"]')],
        "XTF-001 has held_by for a remedy that is 'none known'; say the remedy.",
    ),
    "an unknown claim that holds": (
        [entry(proven_by=None, held_by='["no_such"]')],
        "XTF-001 names the claim 'no_such'; there are bounds_contain_values, null_counts_are_exact.",
    ),
    "a proof on an unknown table": (
        [entry(proven_by='["types_txt-xtable"]')],
        "XTF-001 names the subject 'types_txt-xtable'; did you mean 'types_text-xtable'?",
    ),
    "an unknown kind of deviation": (
        [entry(deviation='"strange"')],
        "XTF-001: 'strange' is no word for deviation; there are absent, false, no object, ",
    ),
    "an empty remedy": ([entry(remedy='" "')], "XTF-001: remedy must be text, not ' '."),
    "a condition that is no text": ([entry(condition="{}")], "XTF-001: condition must be text, not {}."),
    "nothing that leads to it": (
        [entry(condition=None)],
        "XTF-001 says what leads to it neither by affects nor in words by condition; say it by one of them.",
    ),
    "what leads to it, said twice": (
        [entry(affects='[{ format = "hudi", types = ["double"] }]')],
        "XTF-001 says what leads to it by affects and by condition; say it by one of them.",
    ),
    "an unknown word for common": (
        [entry(common='"often"')],
        "XTF-001: 'often' is no word for common; there are everyday, occasional, rare.",
    ),
    "threads that are text": (
        [entry(threads='["https://a"]')],
        'XTF-001: threads must be a list of tables; begin each with { same = "https://…" }.',
    ),
    "a thread that is no address": (
        [entry(threads='[{ same = "#466" }]')],
        "XTF-001: threads: address must begin with https://, not '#466'.",
    ),
    "a thread that is a number": (
        [entry(threads="[{ same = 466 }]")],
        "XTF-001: threads: address must be text, not 466.",
    ),
    "an unknown word for what a thread is": (
        [entry(threads='[{ like = "https://a" }]')],
        "XTF-001: threads: {'like': 'https://a'} must have one of same, sibling, fixed_by, documents, and one alone.",
    ),
    "a thread that is two things": (
        [entry(threads='[{ same = "https://a", sibling = "https://b" }]')],
        "XTF-001: threads: {'same': 'https://a', 'sibling': 'https://b'} must have one of same, sibling, fixed_by,",
    ),
    "a thread that is nothing": (
        [entry(threads='[{ says = "it" }]')],
        "XTF-001: threads: {'says': 'it'} must have one of same, sibling, fixed_by, documents, and one alone.",
    ),
    "an unknown state of a thread": (
        [entry(threads='[{ same = "https://a", state = "stale" }]')],
        "XTF-001: threads: 'stale' is no word for state; there are open, closed, merged.",
    ),
    "a thread twice": (
        [entry(threads='[{ same = "https://a" }, { sibling = "https://a" }]')],
        "XTF-001: threads names something twice.",
    ),
    "a date that is none": (
        [entry(searched='"yesterday"')],
        "XTF-001: searched must be a date like \"2026-11-22\", not 'yesterday'.",
    ),
    "a date without quotes": (
        [entry(searched="2026-11-22")],
        'XTF-001: searched must be a date like "2026-11-22", not datetime.date(',
    ),
    "an unknown kind": (
        [entry(kind='"bug"')],
        "XTF-001: 'bug' is no word for kind; there are violation, mistranslation, limit, unvalidated configuration,",
    ),
    "columns that are text": ([entry(columns='"d"')], "XTF-001: columns must be a list of one text or more, not 'd'."),
    "no columns at all": ([entry(columns="[]")], "XTF-001: columns must be a list of one text or more, not []."),
    "no id": (["[[finding]]\n" + lines({})], "the entry 'bounds of doubles are lost' has no id."),
    "an id beside that of its table": (
        ['[XTF-001]\nid = "XTF-001"\n' + lines({})],
        "XTF-001 must be a table without an id of its own; begin it with [XTF-001].",
    ),
    "an entry that is no table": (
        ["XTF-001 = 3"],
        "XTF-001 must be a table without an id of its own; begin it with [XTF-001].",
    ),
    "an unknown field": (
        [entry(redaers='["daft"]')],
        "XTF-001 has the unknown field 'redaers'; did you mean 'readers'?",
    ),
    "an unknown claim": (
        [entry(claims=f'["{CLAIM}s"]')],
        f"XTF-001 names the claim '{CLAIM}s'; did you mean '{CLAIM}'?",
    ),
    "the path of a test": (
        [entry(claims=f'["suites/bounds/test_bounds.py::test_{CLAIM}"]')],
        "XTF-001 names the claim 'suites/bounds/test_bounds.py::test_",
    ),
    "an unknown subject": (
        [entry(subjects='["zzz"]')],
        "XTF-001 names the subject 'zzz'; there are bad_layout-xtable, good_layout-xtable, types_",
    ),
    "an unknown reader": ([entry(readers='["duckbd"]')], "XTF-001 names the reader 'duckbd'; did you mean 'duckdb'?"),
    "an unknown component": (
        [entry(component='"xtabel"')],
        "XTF-001 names the component 'xtabel'; did you mean 'xtable'?",
    ),
    "a bad range": (
        [entry(releases='"0.3..0.5"')],
        "XTF-001: releases must be a range of releases like '>=0.3,<0.5', not '0.3..0.5'.",
    ),
    "an unknown verdict": ([entry(verdict='"BAD"')], "XTF-001: 'BAD' is no word for verdict; there are UNSOUND, "),
    "an unknown blame": ([entry(blame='"me"')], "XTF-001: 'me' is no blame; there are xtable, "),
    "an id twice": ([entry(), entry(releases='">=0.9"')], "Cannot declare ('XTF-001',) twice"),
    "an id in a list twice": (
        2 * ['[[finding]]\nid = "XTF-001"\n' + lines({})],
        "two entries have the id XTF-001; give one another.",
    ),
    "entries out of order": (
        [entry(id="XTF-002"), entry(releases='">=0.9"')],
        "XTF-001 comes after XTF-002; sort the entries by id.",
    ),
    "a claim about a subject in ranges that meet": (
        [entry(), entry(id="XTF-002", releases='">=0.4"')],
        f"XTF-001 and XTF-002 both describe {CLAIM} on good_layout-xtable; keep one.",
    ),
    "a pattern of nothing": ([entry(subjects='["delta_*"]')], "XTF-001: no subject matches 'delta_*'."),
    "an exception that is none": (
        [entry(subjects='["types_nan-*"]') + 'except = ["types_text-xtable"]'],
        "XTF-001 excepts 'types_text-xtable', which is not one of its subjects.",
    ),
    "nothing but exceptions": (
        [entry(subjects='["types_nan-*"]') + 'except = ["types_nan-*"]'],
        "XTF-001 excepts every subject of its own.",
    ),
    "a subject twice": (
        [entry(subjects='["types_nan-xtable", "types_nan-xtable"]')],
        "XTF-001: subjects must name each once",
    ),
    "a where that is no list": ([entry(where="3")], "XTF-001: where must be a list of tables"),
    "a where without claims": ([divided({"subjects": '["types_nan-xtable"]'})], "XTF-001 has no claims."),
    "a claim that is registered as intermittent alone": (
        [entry(at_times='"one of 450"')],
        f"XTF-001 says how {CLAIM} fails at times, and not how it fails otherwise; add a where for that.",
    ),
    "an unknown field in a where": (
        [divided({"clams": '["x"]'})],
        "XTF-001 has the unknown field 'clams'; did you mean 'claims'?",
    ),
    "one place twice in an entry": (
        [
            divided(
                {"claims": f'["{CLAIM}"]', "subjects": '["types_*"]'}, {"claims": f'["{CLAIM}"]', "subjects": '["*"]'}
            )
        ],
        f"XTF-001 twice has {CLAIM} on types_nan-control; keep one.",
    ),
    "a reproduction on another table": (
        [entry(reproduce='"types_nan-xtable"')],
        "XTF-001: reproduce names 'types_nan-xtable', which is not one of its subjects.",
    ),
    "a claim about a subject twice": (
        [entry(), entry(id="XTF-002")],
        f"XTF-001 and XTF-002 both describe {CLAIM} on good_layout-xtable; keep one.",
    ),
    "claims that are no list": ([entry(claims=f'"{CLAIM}"')], "XTF-001: claims must be a list"),
    "releases that are no text": ([entry(releases="3")], "XTF-001: releases must be a range of releases"),
    "a finding that is no table": (["finding = 3"], "findings.toml: the register: finding must be a list of tables"),
    "an unknown rule": (
        [entry(rules='["delta-pth"]')],
        "XTF-001 names the rule 'delta-pth'; did you mean 'delta-path'?",
    ),
    "an id that was merged and is in use": (
        [entry(), entry(id="XTF-002", releases='">=0.9"', formerly='["XTF-001"]')],
        "XTF-002 was formerly XTF-001, which XTF-001 is too; keep one.",
    ),
    "a test of two components in one entry": (
        [divided(HERE, HERE | {"component": '"daft"'})],
        f"XTF-001 twice has {CLAIM} on types_nan-xtable; keep one.",
    ),
    "a warm JVM without a reason": (
        [entry(warm='{ releases = ">=0.2" }')],
        "XTF-001: warm has no why.",
    ),
    "a warm JVM in words": ([entry(warm='"always"')], "XTF-001: warm must be a table, not 'always'."),
    "an empty list of subjects": ([entry(subjects="[]")], "XTF-001: subjects must be a list"),
}


@of_each(("entries", "sentence"), BAD.values(), ids=BAD)
def test_bad_register_is_reported_in_one_sentence(tmp_path: Path, entries: list[str], sentence: str) -> None:
    with pytest.raises(BadRegister) as raised:
        load(tmp_path, *entries)
    assert sentence in str(raised.value)
    assert str(raised.value).startswith("findings.toml")
    assert "\n" not in str(raised.value)


def test_blocks_of_two_components_are_in_force_by_their_own_versions(tmp_path: Path) -> None:
    other = {"claims": f'["{OTHER}"]', "subjects": '["types_nan-xtable"]', "component": '"daft"', "releases": '"<0.2"'}
    (known,) = load(tmp_path, divided(HERE, other))
    versions = {"xtable": "0.4.0", "daft": "0.1.0"}
    here = {"table": "types_nan-xtable"}
    assert (known.at(CLAIM, here, versions), known.at(OTHER, here, versions)) == known.where
    assert known.at(OTHER, here, versions | {"daft": "0.4.0"}) is None
    assert known.components == ("xtable", "daft")


def test_a_finding_that_needs_a_warm_jvm_names_its_releases(tmp_path: Path) -> None:
    (known,) = load(tmp_path, entry(warm='{ releases = ">=0.2,<0.5", why = "another fault comes first" }'))
    assert known.warm == Warm(SpecifierSet(">=0.2,<0.5"), "another fault comes first")


def test_a_thread_is_told_with_what_it_is(tmp_path: Path) -> None:
    (known,) = load(
        tmp_path,
        entry(
            threads="""[
            { fixed_by = "https://github.com/apache/incubator-xtable/pull/9", state = "merged", says = "0.4.0" },
            { sibling = "https://lists.apache.org/thread/a" },
        ]"""
        ),
    )
    mend, other = known.threads
    assert (mend.name, other.name) == ("xtable#9", "https://lists.apache.org/thread/a")
    assert mend.told(mend.name) == "fixed by: xtable#9 (merged): 0.4.0"
    assert other.told("a") == "sibling: a"


def test_a_remedy_may_be_proven_by_claims_that_hold(tmp_path: Path) -> None:
    (known,) = load(tmp_path, entry(proven_by=None, held_by=f'["{CLAIM}"]'))
    assert (known.proven_by, known.held_by) == ((), (CLAIM,))


IDS = {
    "XTF-009": "XTF-009 has become part of XTF-001.",
    "XTF-999": "There is no finding XTF-999; `xtable-audit known` lists them.",
}


@pytest.mark.parametrize(("id", "sentence"), IDS.items())
def test_an_id_that_is_no_entrys_is_answered(tmp_path: Path, id: str, sentence: str) -> None:
    assert now_called(id, load(tmp_path, entry(formerly='["XTF-009"]'))) == sentence


def test_missing_register_is_reported_in_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(BadRegister, match=r"findings\.toml cannot be read"):
        load_register(tmp_path / "findings.toml", claims=set(), subjects=set(), readers=set(), components=set())


def test_same_claim_may_stand_in_two_entries_of_other_releases(tmp_path: Path) -> None:
    assert len(load(tmp_path, entry(), entry(id="XTF-002", releases='">=0.5"'))) == 2


BLOCKS = (
    {"claims": f'["{CLAIM}"]', "subjects": '["types_*-xtable"]', "except": '["types_text-xtable"]'},
    {
        "claims": f'["{OTHER}"]',
        "subjects": '["good_layout-xtable"]',
        "readers": '["daft", "duckdb"]',
        "questions": '["month"]',
        "releases": '"<0.3"',
        "verdict": '"LOOSE"',
    },
)


def test_block_has_from_its_entry_what_it_leaves_out(tmp_path: Path) -> None:
    (known,) = load(tmp_path, divided(*BLOCKS))
    assert [(str(one.releases), one.verdict, one.blame) for one in known.where] == [
        ("<0.5,>=0.3", Verdict.UNSOUND, Blame.XTABLE),
        ("<0.3", Verdict.LOOSE, Blame.XTABLE),
    ]


def test_a_pattern_matches_its_subjects_without_the_excepted(tmp_path: Path) -> None:
    (known,) = load(tmp_path, divided(*BLOCKS))
    assert known.where[0].subjects == ("types_nan-xtable",)


MONTH = {"table": "good_layout-xtable", "reader": "daft", "question": "month"}
PLACES = {
    "first block": (CLAIM, {"table": "types_nan-xtable"}, "0.4.0", 0),
    "first block, excepted subject": (CLAIM, {"table": "types_text-xtable"}, "0.4.0", None),
    "first block, subject of the second": (CLAIM, {"table": "good_layout-xtable"}, "0.4.0", None),
    "second block": (OTHER, MONTH, "0.2.0-incubating", 1),
    "second block, its other reader": (OTHER, MONTH | {"reader": "duckdb"}, "0.2.0", 1),
    "second block, another question": (OTHER, MONTH | {"question": "pickup"}, "0.2.0", None),
    "second block, releases of the first": (OTHER, MONTH, "0.4.0", None),
    "second block, no reader": (OTHER, {"table": "good_layout-xtable", "question": "month"}, "0.2.0", None),
}


@pytest.mark.parametrize(("claim", "params", "version", "block"), PLACES.values(), ids=PLACES.keys())
def test_each_block_is_in_force_in_its_own_place(
    tmp_path: Path, claim: str, params: dict[str, str], version: str, block: int | None
) -> None:
    (known,) = load(tmp_path, divided(*BLOCKS))
    assert known.at(claim, params, {"xtable": version}) == (None if block is None else known.where[block])


AT_TIMES = (
    {"claims": f'["{CLAIM}"]', "subjects": '["types_*-xtable"]'},
    {"claims": f'["{CLAIM}"]', "subjects": '["types_*-xtable"]', "verdict": '"STALE"', "at_times": '"one of 450"'},
)


def test_an_intermittent_finding_may_be_registered_beside_a_constant_one(tmp_path: Path) -> None:
    (known,) = load(tmp_path, divided(*AT_TIMES))
    place = (CLAIM, {"table": "types_nan-xtable"}, {"xtable": "0.4.0"})
    assert (known.at(*place), known.lapses(*place)) == (known.where[0], (known.where[1],))


def test_what_is_seen_at_times_is_seen_in_its_range_of_releases_alone(tmp_path: Path) -> None:
    (known,) = load(tmp_path, divided(*AT_TIMES))
    assert known.lapses(CLAIM, {"table": "types_nan-xtable"}, {"xtable": "0.5.0"}) == ()


def test_entry_says_nothing_where_its_component_is_absent(tmp_path: Path) -> None:
    (known,) = load(tmp_path, divided(*BLOCKS))
    assert known.at(CLAIM, {"table": "types_nan-xtable"}, {"daft": "0.4.0"}) is None


RANGES = {
    "apart": ("<0.3", ">=0.3", False),
    "at one end": ("<=0.3", ">=0.3", True),
    "one within the other": (">=0.2,<0.5", "==0.3.0", True),
    "crossing": (">=0.2,<0.4", ">=0.3,<0.5", True),
    "a hole of the other": (">=0.2,<0.5,!=0.3.0", "==0.3.0", False),
    "a hole of its minor": (">=0.2,<0.5,!=0.3.*", ">=0.3,<0.4", False),
    "both open below": ("<0.3", "<0.2", True),
    "both open above": (">0.3", ">0.2", True),
    "everything": ("", ">=7", True),
}


@pytest.mark.parametrize(("one", "other", "meet"), RANGES.values(), ids=RANGES.keys())
def test_overlapping_ranges_differ_from_disjoint_ones(one: str, other: str, meet: bool) -> None:
    assert [overlap(SpecifierSet(a), SpecifierSet(b)) for a, b in ((one, other), (other, one))] == [meet, meet]


def test_same_claim_may_stand_in_two_entries_of_other_readers(tmp_path: Path) -> None:
    assert len(load(tmp_path, entry(readers='["daft"]'), entry(id="XTF-002", readers='["duckdb"]'))) == 2


VERSIONS = {
    "0.4.0": True,
    "0.4.0-incubating": True,
    "0.4.0-incubating-rc2": True,
    "0.5.0-SNAPSHOT": False,
    "0.5.0-incubating-rc1": False,
    "0.4.9-SNAPSHOT": True,
    "0.3": True,
    "0.2.0-incubating": False,
    "0.5.0": False,
    "0.6.0-SNAPSHOT": False,
    "0.10.0-incubating": False,
    "0.4.0rc1": True,
    "candidate.jar": False,
}
BASES = {"0.5.0-incubating-rc1": "0.5.0", "0.5.0-SNAPSHOT": "0.5.0", "0.5.0-rc10": "0.5.0", "0.5": "0.5"}


@pytest.mark.parametrize(("version", "base"), BASES.items())
def test_suffixes_are_no_part_of_the_base_version(version: str, base: str) -> None:
    assert str(base_version(version)) == base


@pytest.mark.parametrize(("version", "inside"), VERSIONS.items())
def test_candidate_counts_as_its_release(tmp_path: Path, version: str, inside: bool) -> None:
    (known,) = load(tmp_path, entry())
    assert known.where[0].in_force(version) == inside


def test_version_without_numbers_is_refused() -> None:
    with pytest.raises(ValueError, match="does not start with a version number"):
        base_version("main")


CONCERNS = [
    (CLAIM, {"table": "good_layout-xtable"}, True),
    (CLAIM, {"table": "bad_layout-xtable"}, False),
    (CLAIM, {"table": "good_layout-xtable", "reader": "daft"}, False),
    (CLAIM, {}, False),
    (CLAIM + "_too", {"table": "good_layout-xtable"}, False),
]


@pytest.mark.parametrize(("claim", "params", "held"), CONCERNS)
def test_entry_concerns_its_claim_about_its_subject(
    tmp_path: Path, claim: str, params: dict[str, str], held: bool
) -> None:
    (known,) = load(tmp_path, entry())
    assert known.where[0].concerns(claim, params) == held


def test_entry_of_a_reader_concerns_that_reader_alone(tmp_path: Path) -> None:
    (known,) = load(tmp_path, entry(readers='["daft"]'))
    concerned = [
        known.where[0].concerns(CLAIM, {"table": "good_layout-xtable"} | who)
        for who in ({"reader": "daft"}, {}, {"reader": "duckdb"})
    ]
    assert concerned == [True, False, False]


FOUND = Finding(
    claim=CLAIM,
    sentence="bounds contain every value",
    verdict=Verdict.UNSOUND,
    table="good_layout-xtable",
    saw="[0.0 … 0.0] for part-1.parquet",
    expected="[1.0 … 5.0], its values",
    impact=Impact(1, 4, 10, 40),
    blame=Blame.XTABLE,
    because="the control translator holds it",
)
OTHERS = {
    "verdict": replace(FOUND, verdict=Verdict.LOOSE),
    "blame": replace(FOUND, blame=Blame.SOURCE_LAYOUT),
    "words": replace(FOUND, saw="[1.0 … 4.0] for part-1.parquet"),
}


def test_entry_describes_its_finding(tmp_path: Path) -> None:
    (known,) = load(tmp_path, entry(saw='"[0.0 … 0.0]"'))
    assert known.where[0].describes(FOUND)


COLUMNS = {
    "one of them": (("d",), True),
    "all of them": (("d", "f", "_hoodie_commit_time"), True),
    "none, as what is about no column": ((), True),
    "another column of the same table": (("e",), False),
    "another column beside them": (("d", "e", "f"), False),
}


@pytest.mark.parametrize(("named", "described"), COLUMNS.values(), ids=COLUMNS.keys())
def test_finding_in_another_column_is_a_new_one(tmp_path: Path, named: tuple[str, ...], described: bool) -> None:
    (known,) = load(tmp_path, entry(columns='["d", "f", "_hoodie_*"]'))
    assert known.where[0].describes(replace(FOUND, columns=named)) == described


def test_entry_without_columns_describes_a_finding_in_any(tmp_path: Path) -> None:
    (known,) = load(tmp_path, entry())
    assert known.where[0].describes(replace(FOUND, columns=("e",)))


def test_nobody_needs_to_have_reported_a_finding(tmp_path: Path) -> None:
    (known,) = load(tmp_path, entry(threads=None, remedy='"none known"', acts_on=None, proven_by=None))
    assert (known.threads, known.remedy, known.proven_by) == ((), NONE_KNOWN, ())


@pytest.mark.parametrize("other", OTHERS.values(), ids=OTHERS.keys())
def test_finding_of_another_kind_is_a_new_one(tmp_path: Path, other: Finding) -> None:
    (known,) = load(tmp_path, entry(saw='"[0.0 … 0.0]"'))
    assert not known.where[0].describes(other)


WAYS = {
    "as registered": (DeviationKind.ANOTHER_TYPE, "y", True),
    "of another kind": (DeviationKind.BEYOND_TYPE, "y", False),
    "of another column": (DeviationKind.ANOTHER_TYPE, "z", False),
    "of no kind": ("", "", False),
}


@pytest.mark.parametrize(("deviation", "misfit", "described"), WAYS.values(), ids=WAYS.keys())
@pytest.mark.parametrize("saw", ["column y holds string for double", "in any other words"])
def test_finding_that_deviates_in_another_way_is_a_new_one_whatever_it_says(
    tmp_path: Path, deviation: str, misfit: str, described: bool, saw: str
) -> None:
    (known,) = load(tmp_path, entry(deviation='"another type"', misfit='"y"'))
    found = replace(FOUND, saw=saw, deviation=str(deviation), misfit=misfit)
    assert (known.where[0].describes(found), known.where[0].resembles(found)) == (described, True)


def test_entry_without_a_kind_of_deviation_describes_any(tmp_path: Path) -> None:
    (known,) = load(tmp_path, entry())
    assert known.where[0].describes(replace(FOUND, deviation="absent"))


def test_no_report_has_how_a_finding_deviates() -> None:
    """It tells findings apart while the run lasts; the form of audit.json is the same without."""
    one = claim("finding")
    assert one.finding is not None
    known = replace(one, finding=replace(one.finding, deviation="another type", misfit="y"))
    assert document(known).to_json() == document(one).to_json()


IN_PLACE = {"upgrade_from": '">=0.2,<0.3"', "releases": '">=0.3,<0.5"'}
PLACE = {"table": "good_layout-xtable"}


@pytest.mark.parametrize(
    ("version", "since", "held"),
    [
        ("0.4.0-incubating", "0.2.0-incubating", True),
        ("0.4.0-incubating", "0.3.0-incubating", False),
        ("0.4.0-incubating", None, False),
        ("0.5.0", "0.2.0-incubating", False),
    ],
    ids=["so begun", "begun by another", "no upgrade", "upgraded to another"],
)
def test_what_an_upgrade_in_place_alone_shows_holds_there_alone(
    tmp_path: Path, version: str, since: str | None, held: bool
) -> None:
    (known,) = load(tmp_path, entry(**IN_PLACE))
    assert (known.at(CLAIM, PLACE, {"xtable": version}, since) is not None) == held


def test_what_an_upgrade_in_place_alone_shows_goes_before_what_holds_for_any_metadata(tmp_path: Path) -> None:
    where = {"claims": f'["{CLAIM}"]', "subjects": '["good_layout-xtable"]'}
    (known,) = load(tmp_path, divided(where, where | IN_PLACE | {"saw": '"stale"'}))
    saw = [at.saw for since in (None, "0.2.0") if (at := known.at(CLAIM, PLACE, {"xtable": "0.4.0"}, since))]
    assert saw == [(), ("stale",)]


def test_two_blocks_of_the_same_upgrade_in_place_are_refused(tmp_path: Path) -> None:
    where = {"claims": f'["{CLAIM}"]', "subjects": '["good_layout-xtable"]'} | IN_PLACE
    with pytest.raises(BadRegister, match="XTF-001 twice has"):
        load(tmp_path, divided(where, where | {"upgrade_from": '">=0.2,<0.4"'}))
