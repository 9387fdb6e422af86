import assert from 'node:assert/strict';
import test from 'node:test';
import { listWantedLanguages, requestLanguage } from './wanted-languages.ts';

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

test('the language of a request is the first wanted one that we speak', () => {
  const of = (language: string) => requestLanguage({ headers: { 'accept-language': language } });
  assert.deepEqual(['pl, de-AT;q=0.8, fr;q=0.5', 'pl', '*', 'en'].map(of), ['de', null, null, 'en']);
});
