import assert from 'node:assert/strict';
import { test } from 'vitest';
import { nameOfCountry } from './country-names.ts';

test('names countries, and codes that are not countries', () => {
  assert.deepEqual(['DE', 'XK', 'ZZ', 'QX'].map(nameOfCountry), ['Germany', 'Kosovo', 'Unknown', 'QX']);
});
