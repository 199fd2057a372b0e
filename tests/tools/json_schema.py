"""json_schema.py FOLDER [--strangers]: holds JSON to the schemas of FOLDER; prints what is wrong, a line each.

Standard input says "SCHEMA FILE", a line each. The schemas must themselves be of the dialect that they name. With
--strangers each object of each file gets a member that no schema can know: prints where that goes unnoticed.
Debian's python3-jsonschema judges.
"""
import json
import pathlib
import sys

from jsonschema import Draft202012Validator, RefResolver

folder = pathlib.Path(sys.argv[1]).resolve()
schemas = {path.name: json.loads(path.read_text()) for path in sorted(folder.glob("*.json"))}
complaints = []

for name, schema in schemas.items():
    if schema["$schema"] != Draft202012Validator.META_SCHEMA["$id"]:
        complaints.append(f"{name}: is of another dialect, {schema['$schema']}")
    for error in Draft202012Validator(Draft202012Validator.META_SCHEMA).iter_errors(schema):
        complaints.append(f"{name}: {error.json_path}: {error.message[:300]}")

store = {(folder / name).as_uri(): schema for name, schema in schemas.items()}


def validator_of(name):
    return Draft202012Validator(schemas[name], resolver=RefResolver((folder / name).as_uri(), schemas[name], store))


def complain(name, file, document):
    for error in validator_of(name).iter_errors(document):
        # Where none of several forms fits: what is wrong deepest inside.
        while error.context:
            error = max(error.context, key=lambda inner: len(inner.absolute_path))
        complaints.append(f"{name}: {file}: {error.json_path}: {error.message[:300]}")


def objects(value, path, seen):
    """All objects, but one of each kind: lists have many of one."""
    if isinstance(value, dict):
        if path not in seen:
            seen.add(path)
            yield path, value
        for name, member in list(value.items()):
            yield from objects(member, f"{path}.{name}", seen)
    elif isinstance(value, list):
        for member in value:
            yield from objects(member, f"{path}[]", seen)


def form_of(value):
    """The names of all members, those of members among them."""
    if isinstance(value, dict):
        return tuple((name, form_of(member)) for name, member in sorted(value.items()))
    return frozenset(map(form_of, value)) if isinstance(value, list) else type(value).__name__


def one_of_each_form(value):
    """Of the objects in a list those that differ in their members: the others would say the same again."""
    if isinstance(value, dict):
        return {name: one_of_each_form(member) for name, member in value.items()}
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return [one_of_each_form(member) for member in {form_of(member): member for member in value}.values()]
    return value


def find_unnoticed(name, file, document, seen):
    validator = validator_of(name)
    for path, one in objects(document, name, seen):
        one["stranger"] = "none of ours"
        if validator.is_valid(document):
            complaints.append(f"{file}: a new member of {path} goes unnoticed")
        del one["stranger"]


seen = set()
for line in sys.stdin:
    name, file = line.rstrip("\n").split(" ", 1)
    document = json.loads(pathlib.Path(file).read_text())
    if "--strangers" in sys.argv:
        find_unnoticed(name + ".json", file, one_of_each_form(document), seen)
    else:
        complain(name + ".json", file, document)

print("\n".join(complaints[:20]))
sys.exit(1 if complaints else 0)
