import assert from 'node:assert/strict';
import test from 'node:test';
import { ERRORS, type ErrorCode, errorTitle } from './errors.ts';

test('every title is a fixed phrase without placeholders', () => {
  for (const code of Object.keys(ERRORS) as ErrorCode[]) assert.doesNotMatch(errorTitle(code), /[{}]/, code);
});
