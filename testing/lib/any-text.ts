import fc from 'fast-check';

const CODE_POINTS = 0x11_0000;
const SURROGATES = { first: 0xd800, count: 0x800 };

/** Any character of Unicode. fast-check's own units take a second and 90 MB in each process that uses them. */
export const anyCharacter: fc.Arbitrary<string> = fc
  .integer({ min: 0, max: CODE_POINTS - SURROGATES.count - 1 })
  .map((index) => String.fromCodePoint(index < SURROGATES.first ? index : index + SURROGATES.count));

/** Letters of several scripts and widths, from the first to the last of a block. */
const letter = fc
  .oneof(
    ...[
      [0x20, 0x7e],
      [0xc0, 0x24f],
      [0x391, 0x3a1],
      [0x410, 0x44f],
      [0x5d0, 0x5ea],
      [0x627, 0x63a],
      [0x905, 0x939],
      [0x3041, 0x3096],
      [0x4e00, 0x9fff],
      [0xac00, 0xd7a3],
      [0x1f600, 0x1f64f],
      [0x20000, 0x2a6df],
    ].map(([min, max]) => fc.integer({ min: min!, max: max! })),
  )
  .map((codePoint) => String.fromCodePoint(codePoint));

const accent = fc.integer({ min: 0x300, max: 0x36f }).map((codePoint) => String.fromCodePoint(codePoint));

/** What people see as one character, of one or more code points. */
export const visibleCharacter: fc.Arbitrary<string> = fc.oneof(
  letter,
  fc.tuple(letter, accent).map((parts) => parts.join('')),
  fc.constantFrom('👩‍👩‍👧', '👍🏽', '🇫🇷', '❤️', 'क्षि', '각', 'ﬁ', '1️⃣'),
);
