import assert from 'node:assert/strict';
import test from 'node:test';
import { listWantedLanguages } from './wanted-languages.ts';

test('the languages of Accept-Language count by their quality', () => {
  const wanted = listWantedLanguages({ 'accept-language': 'en;q=0.5, de-AT, fr;q=0.9, it;q=0, *;q=0.1' });
  assert.deepEqual(wanted, ['de', 'fr', 'en']);
});

test('the language chosen on the device comes first', () => {
  const headers = { 'accept-language': 'de', cookie: 'session=x; language=fr; theme=dark' };
  assert.deepEqual(listWantedLanguages(headers), ['fr']);
});

test('headers that make no sense mean no preference', () => {
  for (const header of ['', ';;;', 'q=1', '../../etc', '12, 3', ','.repeat(5_000)])
    assert.deepEqual(listWantedLanguages({ 'accept-language': header, cookie: 'language=../x' }), []);
});
