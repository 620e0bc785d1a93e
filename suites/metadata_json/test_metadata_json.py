"""How metadata.json is written."""

from fixtures.claims import hold
from fixtures.over import over
from lab.subjects.groups import ALL
from xtable_audit.formats.iceberg.claims import metadata_json

test_metadata_json_has_the_specified_types = hold(metadata_json.metadata_json_has_the_specified_types, over(ALL))
test_no_name_stands_twice_in_metadata_json = hold(metadata_json.no_name_stands_twice_in_metadata_json, over(ALL))
test_last_ids_are_the_highest = hold(metadata_json.last_ids_are_the_highest, over(ALL))
