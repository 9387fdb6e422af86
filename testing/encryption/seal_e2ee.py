"""Seals transfers for tests, independently of the product's code.

seal_e2ee.py FOLDER < SPECIFICATION  writes encrypted files, view.json and manifest.1 into FOLDER, and prints the link
seal_e2ee.py vectors                 prints docs/formats/e2ee-vectors.json

SPECIFICATION is {"password": text or null, "files": [{"path": text, "size": bytes}]}. The content of a file is SHAKE-128
of its path.
"""
import gzip, hashlib, hmac, importlib.util, json, os, struct, sys, unicodedata, zlib
from base64 import urlsafe_b64encode
from pathlib import Path

OPENER = Path(__file__).parents[2] / "docs/formats/open_e2ee.py"
spec = importlib.util.spec_from_file_location("open_e2ee", OPENER)
opener = importlib.util.module_from_spec(spec)
spec.loader.exec_module(opener)

PLAIN = (1 << 20) - 40


def text(raw):
    return urlsafe_b64encode(raw).decode().rstrip("=")


def seal(key, context, plain, random):
    last = max(1, -(-len(plain) // PLAIN)) - 1
    sealed = []
    for number in range(last + 1):
        nonce = random(24)
        bound = b"sw1" + context + struct.pack(">I", number) + bytes([number == last])
        part = plain[number * PLAIN : (number + 1) * PLAIN]
        sealed += [nonce, opener.xaes(key, nonce).encrypt(nonce[12:], part, bound)]
    return b"".join(sealed)


def seal_document(key, kind, revision, head, rest, random):
    plain = struct.pack(">I", len(head)) + head + rest
    plain += bytes(-len(plain) % 4096)
    return seal(key, kind + struct.pack(">Q", revision), plain, random)


def seal_manifest(key, revision, manifest, random):
    head = gzip.compress(json.dumps(manifest, ensure_ascii=False).encode(), mtime=0)
    return seal_document(key, b"manifest", revision, head, b"", random)


def create(password, random):
    secret, salt = random(32), random(16)
    kdf = {"name": "none"}
    if password:
        kdf = {"name": "pbkdf2-sha-256", "iterations": 600000, "salt": text(random(16))}
    link = f"https://sendwell.example/e/token#1.{text(secret)}"
    params = {"version": "e2e-1", "salt": text(salt), "kdf": kdf}
    keys = derive(secret, params, password)
    return link, {**params, "commit": text(keys["commit"])}, keys


def derive(secret, params, password):
    """Like the opener, but with HKDF written out (RFC 5869), and without a commitment to compare with."""
    if params["kdf"]["name"] != "none":
        salt = opener.b64(params["kdf"]["salt"])
        normal = unicodedata.normalize("NFC", password).encode()
        secret += hashlib.pbkdf2_hmac("sha256", normal, salt, params["kdf"]["iterations"])
    extracted = hmac.digest(opener.b64(params["salt"]), secret, "sha256")
    names = ["content", "manifest", "pictures", "access", "commit"]
    return {name: hmac.digest(extracted, b"sw1 " + name.encode() + b"\1", "sha256") for name in names}


def entry(path, file_id, plain):
    return {
        "fileId": file_id,
        "path": path,
        "size": len(plain),
        "modifiedAt": 1700000000000,
        "mimeType": "application/octet-stream",
        "crc32": zlib.crc32(plain),
        "sha256": hashlib.sha256(plain).hexdigest(),
    }


def write_transfer(folder, specification):
    random = os.urandom
    link, params, keys = create(specification["password"], random)
    files = []
    for file in specification["files"]:
        plain = hashlib.shake_128(file["path"].encode()).digest(file["size"])
        file_id = random(16).hex()
        (folder / file_id).write_bytes(seal(keys["content"], bytes.fromhex(file_id), plain, random))
        files.append(entry(file["path"], file_id, plain))
    manifest = {"version": 1, "title": None, "message": "from Python", "files": files}
    (folder / "manifest.1").write_bytes(seal_manifest(keys["manifest"], 1, manifest, random))
    (folder / "view.json").write_text(json.dumps({"encryption": params}))
    print(link)


def vector(password):
    """Its random bytes are SHAKE-128, so that it never changes."""
    stream, taken = hashlib.shake_128(b"sendwell e2e-1").digest(1 << 16), 0

    def random(length):
        nonlocal taken
        taken += length
        return stream[taken - length : taken]

    link, params, keys = create(password, random)
    file_id, plain, picture = random(16).hex(), b"Hello, world\n", bytes(range(100))
    manifest = {"version": 1, "title": "Été", "message": None, "files": [entry("é/a.txt", file_id, plain)]}
    listed = [{"fileId": file_id, "mimeType": "image/webp", "size": len(picture)}]
    head = json.dumps({"version": 1, "pictures": listed}).encode()
    return {
        "link": link,
        "password": password,
        "encryption": params,
        "accessKey": text(keys["access"]),
        "accessKeyHash": text(hashlib.sha256(keys["access"]).digest()),
        "derivedKeys": {name: keys[name].hex() for name in ["content", "manifest", "pictures"]},
        "file": {
            "fileId": file_id,
            "plain": text(plain),
            "sealed": text(seal(keys["content"], bytes.fromhex(file_id), plain, random)),
        },
        "emptyFile": {
            "fileId": file_id,
            "plain": "",
            "sealed": text(seal(keys["content"], bytes.fromhex(file_id), b"", random)),
        },
        "manifest": {
            "revision": 3,
            "plain": manifest,
            "sealed": text(seal_manifest(keys["manifest"], 3, manifest, random)),
        },
        "pictures": {
            "revision": 258,
            "plain": {file_id: text(picture)},
            "sealed": text(seal_document(keys["pictures"], b"pictures", 258, head, picture, random)),
        },
    }


if sys.argv[1] == "vectors":
    # The second password is in decomposed form, and must be composed before it is used.
    print(json.dumps([vector(None), vector("pa\u0308sswort")], indent=2))
else:
    write_transfer(Path(sys.argv[1]), json.load(sys.stdin))
