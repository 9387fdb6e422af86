import assert from 'node:assert/strict';
import { test } from 'vitest';
import { type AdForm, checkAd, describeShowing, toAdForm, toFormData } from './ad-form.ts';

const FORM: AdForm = { ...toAdForm(undefined), title: 'Spring', url: 'https://shop.example/' };

function wrongFieldsOf(changes: Partial<AdForm>) {
  return checkAd(undefined)({ ...FORM, ...changes });
}

test('the default duration is 5 seconds, the default priority 5', () => {
  assert.deepEqual([FORM.duration, FORM.priority, FORM.isActive], ['5', '5', true]);
});

test('duration 1 to 60, priority 1 to 10', () => {
  assert.deepEqual(wrongFieldsOf({}), {});
  assert.deepEqual(wrongFieldsOf({ duration: '61', priority: '0' }), {
    duration: 'Please enter at most 60 seconds',
    priority: 'Please enter 1 to 10',
  });
  assert.deepEqual(wrongFieldsOf({ duration: '0', priority: '11' }), {
    duration: 'Please enter at least 1 second',
    priority: 'Please enter 1 to 10',
  });
});

test('the file is optional only if an address is given', () => {
  assert.deepEqual(wrongFieldsOf({ url: '' }), { file: 'An ad needs a file or an address.' });
  assert.deepEqual(wrongFieldsOf({ url: '', file: new File(['x'], 'a.png', { type: 'image/png' }) }), {});
  const text = new File(['x'], 'a.txt', { type: 'text/plain' });
  assert.deepEqual(wrongFieldsOf({ file: text }), { file: 'Please select an image file' });
});

test('the end date must be after the start date', () => {
  assert.deepEqual(wrongFieldsOf({ startDate: '2026-11-21T10:00', endDate: '2026-11-20T10:00' }), {
    endDate: 'The end date must be after the start date.',
  });
});

test('the video type is sent for videos only', () => {
  const sent = (type: AdForm['type']) =>
    toFormData({ ...FORM, type, videoType: 'video/mp4' }).get('videoType');
  assert.deepEqual([sent('image'), sent('video')], ['', 'video/mp4']);
});

test('an ad says whether it is shown, and if not, why', () => {
  const now = Date.parse('2026-11-21T12:00:00Z');
  const word = (ad: Partial<Parameters<typeof describeShowing>[0]>) =>
    describeShowing({ isActive: true, isShowing: false, startDate: null, ...ad }, now).word;
  assert.equal(word({ isActive: false }), 'Paused');
  assert.equal(word({ isShowing: true }), 'Showing');
  assert.equal(word({ startDate: '2026-12-01T00:00:00Z' }), 'Scheduled');
  assert.equal(word({}), 'Ended');
});
