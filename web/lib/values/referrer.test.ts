import assert from 'node:assert/strict';
import { test } from 'vitest';
import { referrerOf } from './referrer.ts';

test('names the page that led here without its query', () => {
  assert.equal(referrerOf('https://news.example/story?reader=7#top'), 'https://news.example/story');
});

test('names nothing where nothing is known', () => {
  assert.equal(referrerOf(''), undefined);
  assert.equal(referrerOf('android-app://com.example.mail/'), undefined);
});

test('stays within what the server reads', () => {
  assert.equal(referrerOf(`https://long.example/${'a'.repeat(5_000)}`)?.length, 2_000);
});
