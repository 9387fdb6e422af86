import { expect, test } from 'vitest';
import { rateStrength } from './password-strength.tsx';

test('the strength grows with length and kinds, and common passwords and own names are weak', () => {
  const common = new Set(['letmein']);
  const words = ['Nora Lindqvist', 'nora@example.org'];
  expect(rateStrength('letmein', { common })).toBe(0);
  expect(rateStrength('LINDQVIST', { words })).toBe(0);
  expect(rateStrength('lindqvist12', { words })).toBe(0);
  expect(rateStrength('aaaaaaaaaaaaaaaa')).toBe(0);
  expect(rateStrength('r4inbows')).toBe(1);
  expect(rateStrength('r4inbow-boat')).toBe(2);
  expect(rateStrength('a grey boat at noon')).toBe(3);
});
