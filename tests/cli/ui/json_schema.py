# SPDX-License-Identifier: MIT
"""Checks what dblock --json printed: json_schema.py SCHEMA <LINES. A line is KIND, a tab, and the object;
KIND is one of the schema's $defs, or several with a | between them. For users a schema allows keys that it
does not name; here, none."""
import json
import sys

import jsonschema


def strict(name, schema):
    """No object has keys without a description. One that others are made of is checked in those."""
    if isinstance(schema, dict):
        for key, part in schema.items():
            strict(key, part)
        if schema.get("type") == "object" and not name.endswith("_facts"):
            schema["unevaluatedProperties"] = False
    elif isinstance(schema, list):
        for part in schema:
            strict("", part)


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        schema = json.load(file)
    jsonschema.Draft202012Validator.check_schema(schema)
    strict("", schema["$defs"])
    del schema["anyOf"]
    wrong = 0
    for line in sys.stdin:
        kinds, text = line.rstrip("\n").split("\t", 1)
        for kind in kinds.split("|"):
            schema["$defs"][kind]  # there is one
        wanted = dict(schema, anyOf=[{"$ref": "#/$defs/" + kind} for kind in kinds.split("|")])
        if "|" not in kinds:
            wanted["$ref"] = wanted.pop("anyOf")[0]["$ref"]
        for error in jsonschema.Draft202012Validator(wanted).iter_errors(json.loads(text)):
            wrong += 1
            print(f"{kinds}: {text}\n  {error.json_path}: {error.message}", file=sys.stderr)
    return 1 if wrong else 0


sys.exit(main())
