import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { Lettering } from './lettering.ts';

const heading = new Lettering('heading');
const text = new Lettering('text');

test('emoji and line breaks are left out, and other scripts are refused', () => {
  assert.equal(heading.findWritable('Holiday 🎉\n❤️ photos 👩‍👩‍👧 2026'), 'Holiday photos 2026');
  assert.equal(heading.findWritable('Zoë & Łukasz © 2026, 100 %'), 'Zoë & Łukasz © 2026, 100 %');
  assert.equal(heading.findWritable('e\u0301'), 'é');
  for (const foreign of ['假期照片', 'Фото', 'صور', 'a\u0000b', 'a\u202eb'])
    assert.equal(heading.findWritable(foreign), undefined, foreign);
});

test('kerning, tracking and word spacing change the width', () => {
  assert.ok(heading.measure('AV', 100) < heading.measure('A', 100) + heading.measure('V', 100));
  assert.ok(new Lettering('heading', { tracking: -0.02 }).measure('ab', 100) < heading.measure('ab', 100));
  assert.ok(new Lettering('heading', { wordSpacing: 0.1 }).measure('a b', 100) > heading.measure('a b', 100));
});

test('every line of any writable text fits the width, and none of its letters is lost', () => {
  const letters = fc.string({ unit: fc.constantFrom(...'abc WÄ-.é'), minLength: 1, maxLength: 80 });
  fc.assert(
    fc.property(letters, (raw) => {
      const writable = text.findWritable(raw)!;
      const box = { widthPx: 200, sizePx: 40, maxLines: 100 };
      const lines = text.wrap(writable, box)!;
      for (const line of lines) assert.ok(text.measure(line, 40) <= 200, line);
      assert.equal(lines.join('').replaceAll(' ', ''), writable.replaceAll(' ', ''));
      const [short, ...others] = text.wrapShortened(writable, { ...box, maxLines: 1 });
      assert.deepEqual(others, []);
      assert.ok(text.measure(short!, 40) <= 200);
    }),
  );
});

test('the markup contains outlines and none of the text', () => {
  const markup = text.draw('<script>&"', { x: 1, y: 2, sizePx: 10 });
  assert.match(
    markup,
    /^<g transform="translate\(1 2\) scale\(0\.01 -0\.01\)">(?:<path transform="translate\([\d.]+ 0\)" d="[\dMLHVQCZ .-]+"\/>)+<\/g>$/,
  );
});
