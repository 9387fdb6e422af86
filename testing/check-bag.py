"""Checks a bag by the rules of RFC 8493, with nothing but the standard library: check-bag.py BAG"""

import hashlib
import os
import re
import sys
import urllib.parse

bag = sys.argv[1]


def read_lines(name):
    with open(os.path.join(bag, name), encoding="utf-8", newline="") as file:
        text = file.read()
    assert text.endswith("\n") and "\r" not in text, name
    return text.split("\n")[:-1]


def read_manifest(name):
    entries = {}
    for line in read_lines(name):
        checksum, path = re.fullmatch(r"([0-9a-f]{64})[ \t]+(?:\*)?(.+)", line).groups()
        assert re.search(r"%(?!0A|0D|25)", path, re.I) is None, path
        path = re.sub(r"%(0A|0D|25)", lambda found: urllib.parse.unquote(found[0]), path, flags=re.I)
        assert path not in entries, f"listed twice: {path}"
        assert not os.path.isabs(path) and ".." not in path.split("/"), path
        entries[path] = checksum
    return entries


def digest(path):
    sha256 = hashlib.sha256()
    with open(os.path.join(bag, path), "rb") as file:
        while piece := file.read(1 << 20):
            sha256.update(piece)
    return sha256.hexdigest()


def list_files(folder):
    for parent, _, names in os.walk(os.path.join(bag, folder)):
        for name in names:
            yield os.path.relpath(os.path.join(parent, name), bag)


# Section 2.1.1: exactly these two lines.
assert read_lines("bagit.txt") == ["BagIt-Version: 1.0", "Tag-File-Character-Encoding: UTF-8"]

# Sections 2.1.2 and 2.1.3: every payload file is listed exactly once, and nothing else.
payload = read_manifest("manifest-sha256.txt")
assert all(path.startswith("data/") for path in payload)
assert sorted(payload) == sorted(list_files("data"))
for path, checksum in payload.items():
    assert digest(path) == checksum, path

# Section 2.2.1: every tag file, but no tag manifest and no payload file.
tags = read_manifest("tagmanifest-sha256.txt")
top = sorted(name for name in os.listdir(bag) if os.path.isfile(os.path.join(bag, name)))
assert sorted([*tags, "tagmanifest-sha256.txt"]) == top, top
for path, checksum in tags.items():
    assert digest(path) == checksum, path

# Section 2.2.2
info = [re.fullmatch(r"([^:\s]+): (.+)", line).groups() for line in read_lines("bag-info.txt")]
assert len(info) == len(dict(info))
sizes = [os.path.getsize(os.path.join(bag, path)) for path in payload]
assert dict(info)["Payload-Oxum"] == f"{sum(sizes)}.{len(sizes)}"
assert re.fullmatch(r"\d{4}-\d{2}-\d{2}", dict(info)["Bagging-Date"])
print(f"{len(payload)} files, {sum(sizes)} bytes")
