import assert from 'node:assert/strict';
import test from 'node:test';
import { LANGUAGE_CODES, type LanguageCode } from '../../../contracts/values/language/languages.ts';
import { AppError } from '../lib/app-error.ts';
import { translateRefusal } from './refusals.ts';

function describe(error: AppError, language: LanguageCode = 'de'): string {
  return translateRefusal(error, language).detail;
}

test('values of errors are translated: sizes, counts, waiting times and words', () => {
  const details = { tier: 'pro', size: '1.5 GB' };
  assert.match(
    describe(new AppError('transfer_limit_exceeded', { details })),
    /^Ihr pro-Tarif erlaubt bis zu 1,5 GB/,
  );
  assert.equal(
    describe(new AppError('too_many_requests', { details: { wait: '5 minutes' } })),
    'Zu viele Versuche. Bitte warten Sie 5 Minuten und versuchen Sie es noch einmal.',
  );
  const quota = {
    tier: 'free',
    limit: '1,000',
    things: 'unfinished uploads',
    advice: 'Delete some of them.',
  };
  assert.equal(
    describe(new AppError('count_quota_exceeded', { details: quota })),
    'Ihr free-Tarif erlaubt 1.000 unfertige Uploads gleichzeitig. Löschen Sie einige davon.',
  );
  const declined = new AppError('payment_declined', { details: { reason: 'Your card has expired.' } });
  assert.equal(describe(declined), 'Ihre Karte ist abgelaufen.');
});

test('what people wrote stays as it is, also if it is one of our words or looks like a message', () => {
  for (const name of ['files', 'Required', '{size}', '</script>', 'a exceeds the b limit'])
    assert.match(
      describe(new AppError('invited_file_too_large', { details: { name, size: '5 MB' } })),
      new RegExp(`^${name.replace(/[{}]/g, '\\$&').split(' ')[0]}`),
    );
});

test('a sentence without a translation stays English, as does everything for English readers', () => {
  const unknown = new AppError('invalid_input', {
    message: 'Nobody wrote this.',
    errors: { name: 'Nor this.' },
  });
  for (const language of LANGUAGE_CODES)
    assert.deepEqual(translateRefusal(unknown, language), {
      detail: 'Nobody wrote this.',
      errors: { name: 'Nor this.' },
    });
  assert.equal(describe(new AppError('not_signed_in'), 'en'), 'Please sign in first.');
});
