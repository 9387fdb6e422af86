#!/usr/bin/env python3
"""Opens the sealed key of a transfer that came through an encrypted invitation (e2ee.md, Requests), with the package
`cryptography`, and prints the link.

open_request.py KEYS.json transfer.json https://HOST     KEYS.json: exported without a password, or
                                                         {"inboxes": [{"invitationId", "privateKey"}]}
                                                         transfer.json: the answer of GET /api/transfers/ID
"""
import hmac, json, sys
from base64 import urlsafe_b64decode, urlsafe_b64encode
from pathlib import Path
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

KEM, SUITE = b"KEM\x00\x10", b"HPKE\x00\x10\x00\x01\x00\x02"

def b64(text): return urlsafe_b64decode(text + "=" * (-len(text) % 4))
def mac(key, data): return hmac.digest(key, data, "sha256")
def extract(suite, salt, label, secret): return mac(salt, b"HPKE-v1" + suite + label + secret)

def expand(suite, key, label, info, length):                # at most one block
    return mac(key, length.to_bytes(2, "big") + b"HPKE-v1" + suite + label + info + b"\x01")[:length]

def open_base(private_key, info, aad, sealed):              # RFC 9180 §4.1, §5.1.1 and §5.2
    point, curve = sealed[:65], ec.SECP256R1()
    own = ec.derive_private_key(int.from_bytes(private_key, "big"), curve)
    own_point = own.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
    exchanged = own.exchange(ec.ECDH(), ec.EllipticCurvePublicKey.from_encoded_point(curve, point))
    shared = expand(KEM, extract(KEM, b"", b"eae_prk", exchanged), b"shared_secret", point + own_point, 32)
    context = b"\x00" + extract(SUITE, b"", b"psk_id_hash", b"") + extract(SUITE, b"", b"info_hash", info)
    secret = extract(SUITE, shared, b"secret", b"")
    key, nonce = expand(SUITE, secret, b"key", context, 32), expand(SUITE, secret, b"base_nonce", context, 12)
    return AESGCM(key).decrypt(nonce, sealed[65:], aad)

def main(keys, transfer, host):
    transfer = json.loads(Path(transfer).read_text())
    received = transfer["receivedKey"]
    inboxes = {inbox["invitationId"]: inbox for inbox in json.loads(Path(keys).read_text())["inboxes"]}
    private_key = b64(inboxes[received["invitationId"]]["privateKey"])
    info = b"sw-request-1" + received["invitationId"].encode()
    secret = open_base(private_key, info, transfer["id"].encode(), b64(received["sealedKey"]))
    print(f"{host}/e/{transfer['token']}#1.{urlsafe_b64encode(secret).decode().rstrip('=')}")

if __name__ == "__main__": main(*sys.argv[1:])
