import assert from 'node:assert/strict';
import { test } from 'vitest';
import { formatUtcDays } from '../../lib/time/format-dates.ts';
import { nameOfReferer } from './format.ts';

test('days are formatted in UTC', () => {
  assert.equal(formatUtcDays({ from: '2026-11-21', to: '2026-11-21' }), 'Nov 21, 2026');
  assert.match(formatUtcDays({ from: '2026-11-16', to: '2026-11-21' }), /^Nov 16\s–\s21, 2026$/);
});

test('shortens referers', () => {
  assert.equal(nameOfReferer('https://www.news.example/today'), 'news.example/today');
  assert.equal(nameOfReferer('http://news.example/'), 'news.example');
  assert.equal(nameOfReferer(''), 'Direct or unknown');
});
