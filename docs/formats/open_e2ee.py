#!/usr/bin/env python3
"""Opens an end-to-end encrypted transfer (e2ee.md) with the package `cryptography`. A password is read from $PASSWORD.

open_e2ee.py LINK view.json                              prints the access key for the server
open_e2ee.py LINK view.json manifest.REVISION SOURCE OUT opens SOURCE, a folder or zip of encrypted files, into OUT
"""
import gzip, hashlib, io, json, os, re, struct, sys, unicodedata, zipfile
from base64 import urlsafe_b64decode, urlsafe_b64encode
from pathlib import Path
from cryptography.hazmat.primitives.ciphers import Cipher, aead, algorithms, modes
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

WIRE, PLAIN = 1 << 20, (1 << 20) - 40

def b64(text): return urlsafe_b64decode(text + "=" * (-len(text) % 4))

def derive_keys(link, params, password):
    secret, kdf = b64(re.search(r"(?:#|%23)1\.([\w-]{43})", link)[1]), params["kdf"]
    if kdf["name"] == "pbkdf2-sha-256":
        text = unicodedata.normalize("NFC", password).encode()
        secret += hashlib.pbkdf2_hmac("sha256", text, b64(kdf["salt"]), kdf["iterations"])
    keys = {name: HKDF(SHA256(), 32, b64(params["salt"]), b"sw1 " + name.encode()).derive(secret)
            for name in ["content", "manifest", "pictures", "access", "commit"]}
    return keys if keys["commit"] == b64(params["commit"]) else sys.exit("wrong key or password")

def xaes(key, nonce):
    aes = Cipher(algorithms.AES(key), modes.ECB()).encryptor().update
    zero = int.from_bytes(aes(bytes(16)), "big")
    subkey = (zero << 1 & (1 << 128) - 1) ^ (0x87 if zero >> 127 else 0)
    block = lambda count: int.from_bytes(bytes([0, count, 0x58, 0]) + nonce[:12], "big") ^ subkey
    return aead.AESGCM(b"".join(aes(block(count).to_bytes(16, "big")) for count in (1, 2)))

def open_segments(key, context, plain_bytes, source, out):
    last = max(1, -(-plain_bytes // PLAIN)) - 1
    for number in range(last + 1):
        segment = source.read(plain_bytes - last * PLAIN + 40 if number == last else WIRE)
        bound = b"sw1" + context + struct.pack(">IB", number, number == last)
        out.write(xaes(key, segment[:24]).decrypt(segment[12:24], segment[24:], bound))
    if source.read(1): sys.exit("bytes after the end")

def open_manifest(key, revision, sealed):
    size, plain = len(sealed) - 40 * -(-len(sealed) // WIRE), io.BytesIO()
    open_segments(key, b"manifest" + struct.pack(">Q", revision), size, io.BytesIO(sealed), plain)
    length = struct.unpack(">I", plain.getvalue()[:4])[0]
    return json.loads(gzip.decompress(plain.getvalue()[4:4 + length]))

def main(link, view, manifest=None, source=None, out=None):
    keys = derive_keys(link, json.loads(Path(view).read_text())["encryption"], os.environ.get("PASSWORD", ""))
    if manifest is None: return print(urlsafe_b64encode(keys["access"]).decode().rstrip("="))
    opener = zipfile.ZipFile(source).open if os.path.isfile(source) else lambda name: open(Path(source, name), "rb")
    for file in open_manifest(keys["manifest"], int(manifest.rsplit(".")[-1]), Path(manifest).read_bytes())["files"]:
        target, part = Path(out, file["path"]).resolve(), Path(out, file["fileId"] + ".part")
        if not target.is_relative_to(Path(out).resolve()) or target.exists(): sys.exit(f"refused: {file['path']}")
        target.parent.mkdir(parents=True, exist_ok=True)
        with opener(file["fileId"]) as sealed, open(part, "wb") as plain:
            open_segments(keys["content"], bytes.fromhex(file["fileId"]), file["size"], sealed, plain)
        part.rename(target)

if __name__ == "__main__": main(*sys.argv[1:])
