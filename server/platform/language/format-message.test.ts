import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatMessage, listValueNames } from './format-message.ts';

function format(message: string, values: Record<string, string | number>, language = 'en'): string {
  const plurals = new Intl.PluralRules(language);
  const counts = new Intl.NumberFormat(language);
  return formatMessage(message, values, {
    pluralOf: (count) => plurals.select(count),
    formatCount: (count) => counts.format(count),
  });
}

test('values are inserted as they are, and numbers are formatted', () => {
  assert.equal(
    format('{name} sent {count} files', { name: 'Eve {x} #', count: 1200 }),
    'Eve {x} # sent 1,200 files',
  );
  assert.equal(format('{count} Dateien', { count: 1200 }, 'de'), '1.200 Dateien');
  assert.equal(format("It wasn't me: 100 % #1", {}), "It wasn't me: 100 % #1");
});

test('a plural takes the branch of its count and may contain values', () => {
  const message = '{count, plural, =0 {nothing} one {# file of {name}} other {# files of {name}}}!';
  const of = (count: number) => format(message, { count, name: 'Rex' });
  assert.deepEqual([0, 1, 5, 1200].map(of), [
    'nothing!',
    '1 file of Rex!',
    '5 files of Rex!',
    '1,200 files of Rex!',
  ]);
  // French counts 0 as one, and 1,000,000 as many, for which the translations have no branch.
  const french = '{count, plural, one {# fichier} other {# fichiers}}';
  assert.deepEqual(
    [0, 1, 2, 1_000_000].map((count) => format(french, { count }, 'fr').replaceAll('\u202f', ' ')),
    ['0 fichier', '1 fichier', '2 fichiers', '1 000 000 fichiers'],
  );
});

test('a missing value, an open brace and a plural without "other" are errors', () => {
  for (const [message, values] of [
    ['{name}', {}],
    ['{count, plural, one {a} other {b}}', { name: 'x' }],
    ['{count, plural, one {a}}', { count: 1 }],
    ['{na me}', { name: 'x' }],
    ['a } b', {}],
    ['{count, plural, one {a other {b}}', { count: 1 }],
  ] as const)
    assert.throws(() => format(message, values), Error, message);
});

test('the names of values are found in plurals, too', () => {
  assert.deepEqual(listValueNames('{b}: {n, plural, one {{a} #} other {# {c}}} {b}'), ['a', 'b', 'c', 'n']);
});
