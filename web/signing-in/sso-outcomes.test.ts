import { expect, test } from 'vitest';
import { SSO_OUTCOMES, type SsoOutcome } from '../../contracts/accounts/sign-in/single-sign-on.ts';
import { describeOutcome, readSsoReturn, withoutSsoReturn } from './sso-outcomes.ts';

test('each outcome has a sentence, which names the provider where the contract does', () => {
  for (const [outcome, sentence] of Object.entries(SSO_OUTCOMES) as [SsoOutcome, string][]) {
    const text = describeOutcome(outcome, 'Nordlicht');
    expect(text, outcome).toMatch(/^[A-Z].*\.$/);
    expect(text.includes('Nordlicht'), outcome).toBe(sentence.includes('{name}'));
  }
  expect(describeOutcome('unreachable', undefined)).toMatch(/^This provider can't be reached/);
});

test('the address says how the visit ended, and with which factors to go on', () => {
  expect(readSsoReturn('?sso=second-factor&provider=p1&factors=recovery-code,totp,magic')).toEqual({
    outcome: 'second-factor',
    providerId: 'p1',
    factors: ['totp', 'recovery-code'],
  });
  expect(readSsoReturn('?sso=cancelled')).toEqual({ outcome: 'cancelled', providerId: null, factors: [] });
  for (const search of ['', '?next=/x', '?sso=', '?sso=unheard-of', '?sso=toString'])
    expect(readSsoReturn(search)).toBeUndefined();
});

test('forgetting the outcome keeps where to go next', () => {
  expect(withoutSsoReturn('?sso=failed&provider=p1&factors=totp&next=%2Fdashboard%2Fupload')).toBe(
    '?next=%2Fdashboard%2Fupload',
  );
  expect(withoutSsoReturn('?sso=failed&provider=p1')).toBe('');
  expect(withoutSsoReturn('?provider=else')).toBe('?provider=else');
});
