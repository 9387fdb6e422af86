import assert from 'node:assert/strict';
import test from 'node:test';
import { decodeText, isLikelyText } from './text.ts';

test('text and code are recognized in common encodings', () => {
  for (const text of [
    Buffer.from('plain words\r\n\twith a tab'),
    Buffer.from('Grüße, 世界 👋'),
    Buffer.from('Grüße, 世界 👋').subarray(0, -2),
    Buffer.from('Grüße aus Köln', 'latin1'),
    Buffer.from('\ufeffwide', 'utf16le'),
    Buffer.from('\x1b[31mred\x1b[0m'),
    Buffer.from('<svg onload="alert(1)">'),
  ])
    assert.equal(isLikelyText(text), true, text.toString());
});

test('files with control characters or mostly non-ASCII bytes are not text', () => {
  for (const bytes of [
    Buffer.alloc(0),
    Buffer.from('a\0b'),
    Buffer.from('\x7fELF'),
    Buffer.from([0xff, 0xfe, 0, 0, 1, 0]),
    Buffer.from([0xc3, 0x28, 0xa0, 0xff, 0xb1]),
  ])
    assert.equal(isLikelyText(bytes), false, bytes.toString('hex'));
});

test('decoding never fails and drops a truncated last character', () => {
  assert.equal(decodeText(Buffer.from('Größe 👋').subarray(0, -1)), 'Größe ');
  assert.equal(decodeText(Buffer.from('Größe', 'latin1')), 'Größe');
  assert.equal(decodeText(Buffer.from('\ufeffwide', 'utf16le')), 'wide');
  assert.equal(decodeText(Buffer.from([0xfe, 0xff, 0, 0x41])), 'A');
  assert.equal(decodeText(Buffer.from([0x80, 0xff, 0xc3])).length, 3);
});
