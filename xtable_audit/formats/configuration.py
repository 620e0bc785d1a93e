"""The user's own XTable configuration: the YAML file that `--datasetConfig` names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from xtable_audit.formats.folder import place_of
from xtable_audit.model.malformed import first_line
from xtable_audit.model.problem import Problem

TARGETS = ("ICEBERG", "DELTA", "HUDI", "PAIMON")
TOP = ("sourceFormat", "targetFormats", "datasets")
OF_DATASET = ("tableBasePath", "tableDataPath", "tableName", "namespace", "partitionSpec")
TRANSFORMS = ("VALUE", "YEAR", "MONTH", "DAY", "HOUR")
LARGEST = 1 << 20
"""Bytes of a configuration; a larger one is none."""


@dataclass(frozen=True)
class SpecField:
    """One field of XTable's partitionSpec, `field:TRANSFORM[:format]`."""

    name: str
    transform: str
    format: str = ""


@dataclass(frozen=True)
class Configuration:
    """What the configuration says of one table. `spec` is empty where partitionSpec is not given."""

    spec: tuple[SpecField, ...] = ()
    source: str = ""
    """hudi, delta or parquet; empty if not said."""
    iceberg: bool = True
    """Whether Iceberg is among the targets."""


def parse_spec(text: str) -> tuple[SpecField, ...]:
    """The fields of `day:DAY:yyyy-MM-dd,city:VALUE`. Raises Problem."""
    fields = []
    for part in filter(None, (one.strip() for one in text.split(","))):
        name, _, rest = part.partition(":")
        transform, _, form = rest.partition(":")
        if not name or transform.upper() not in TRANSFORMS:
            raise Problem(
                f"the partitionSpec {text!r} has the field {part!r}; write field:TRANSFORM[:format], with one of "
                f"{', '.join(TRANSFORMS)}"
            )
        fields.append(SpecField(name, transform.upper(), form))
    return tuple(fields)


def read_configuration(path: Path, location: str) -> Configuration:
    """What the file says of the table at `location`. Raises Problem for whatever XTable would not take as it is."""
    datasets, source, targets = _file(path)
    dataset = _of(path, datasets, location)
    spec = dataset.get("partitionSpec") or ""
    if not isinstance(spec, str):
        raise Problem(f"{path}: partitionSpec must be text such as day:DAY:yyyy-MM-dd, not {spec!r}")
    return Configuration(parse_spec(spec), source.lower(), "ICEBERG" in targets)


def _file(path: Path) -> tuple[list[Mapping[str, Any]], str, list[str]]:
    import yaml  # late: only a run with a configuration needs it

    from xtable_audit.formats.installed import source_formats  # late: a source's facts depend on its configuration

    try:
        if path.stat().st_size > LARGEST:
            raise Problem(f"{path} is larger than a configuration of XTable can be; name the file with datasets")
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise Problem(f"{path} cannot be read: {first_line(error)}") from error
    except (yaml.YAMLError, RecursionError) as error:
        raise Problem(f"{path} is not YAML: {' '.join(str(error).split())[:200]}") from error
    if not isinstance(content, dict):
        raise Problem(f"{path} is no configuration of XTable: it needs sourceFormat, targetFormats and datasets")
    _known(path, "", content, TOP)
    source = _word(path, "sourceFormat", content.get("sourceFormat"), [name.upper() for name in source_formats()])
    targets = content.get("targetFormats")
    if not isinstance(targets, list) or not targets:
        raise Problem(f"{path}: targetFormats must be a list such as [ICEBERG]")
    datasets = content.get("datasets")
    if not isinstance(datasets, list) or not datasets or not all(isinstance(one, dict) for one in datasets):
        raise Problem(f"{path}: datasets must be a list of tables, each with tableBasePath and tableName")
    for dataset in datasets:
        _known(path, "a dataset has ", dataset, OF_DATASET)
        if not isinstance(dataset.get("tableBasePath"), str):
            raise Problem(f"{path}: a dataset has no tableBasePath")
    return datasets, source, [_word(path, "targetFormats", one, TARGETS) for one in targets]


def _known(path: Path, whose: str, content: Mapping[Any, Any], names: Sequence[str]) -> None:
    for name in content:
        if name not in names:
            raise Problem(f"{path}: {whose}the unknown key {name!r}; {_near(str(name), names)}")


def _word(path: Path, key: str, word: Any, words: Sequence[str]) -> str:
    if not isinstance(word, str) or word.upper() not in words:
        raise Problem(f"{path}: {key} has {word!r}; {_near(str(word).upper(), words)}")
    return word.upper()


def _near(word: str, words: Sequence[str]) -> str:
    close = get_close_matches(word, words, n=1)
    return f"did you mean {close[0]}?" if close else f"there are {', '.join(words)}"


def _of(path: Path, datasets: Sequence[Mapping[str, Any]], location: str) -> Mapping[str, Any]:
    """The dataset at the location; the only one, wherever it says that it is."""
    here = [one for one in datasets if place_of(one["tableBasePath"]) == place_of(location)]
    if len(here) == 1 or len(datasets) == 1:
        return (here or list(datasets))[0]
    if here:
        raise Problem(f"{path} names {location} {len(here)} times; keep one dataset of it")
    raise Problem(f"{path} has {len(datasets)} datasets and none with the tableBasePath {location}")
