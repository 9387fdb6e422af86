import assert from 'node:assert/strict';
import test from 'node:test';
import { utf8 } from './bytes.ts';
import { Derivation, stretchPassword } from './derivation.ts';

const fromHex = (hex: string) => new Uint8Array(Buffer.from(hex, 'hex'));
const toHex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
const range = (first: number, end: number) =>
  Uint8Array.from({ length: end - first }, (_, index) => first + index);

/** RFC 5869, appendix A.1 to A.3: those with SHA-256. */
const HKDF_VECTORS = [
  {
    input: fromHex('0b'.repeat(22)),
    salt: range(0, 0x0d),
    info: range(0xf0, 0xfa),
    output: '3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865',
  },
  {
    input: range(0, 0x50),
    salt: range(0x60, 0xb0),
    info: range(0xb0, 0x100),
    output:
      'b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c' +
      '59045a99cac7827271cb41c65e590e09da3275600c2f09b8367793a9aca3db71' +
      'cc30c58179ec3e87c14c01d5c1f3434f1d87',
  },
  {
    input: fromHex('0b'.repeat(22)),
    salt: new Uint8Array(),
    info: new Uint8Array(),
    output: '8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8',
  },
];

test('the vectors of RFC 5869', async () => {
  for (const { input, salt, info, output } of HKDF_VECTORS) {
    const derivation = await Derivation.create(input, salt);
    assert.equal(toHex(await derivation.deriveBytes(info, output.length / 2)), output);
  }
});

/** RFC 7914, section 11: the first 32 of 64 bytes. */
const PBKDF2_VECTORS = [
  ['passwd', 'salt', 1, '55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc'],
  ['Password', 'NaCl', 80_000, '4ddcd8f60b98be21830cee5ef22701f9641a4418d04c0414aeff08876b34ab56'],
] as const;

test('the vectors of RFC 7914 for PBKDF2', async () => {
  for (const [password, salt, iterations, output] of PBKDF2_VECTORS)
    assert.equal(toHex(await stretchPassword(password, utf8(salt), iterations)), output);
});
