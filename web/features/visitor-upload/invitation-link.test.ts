import { expect, test } from 'vitest';
import { readInvitationLink, repairedPath } from './invitation-link.ts';

const TOKEN = 'abcdefghijklmnopqrstuvwx23';
const KEY = `B${'a'.repeat(85)}A`;

test('the public key is in the fragment', () => {
  expect(readInvitationLink(TOKEN, `#k1.${KEY}`)).toEqual({ token: TOKEN, inboxKey: KEY, isBroken: false });
  for (const hash of ['', '#', `#k1.${KEY.slice(1)}`, `#k2.${KEY}`, `#1.${KEY}`])
    expect(readInvitationLink(TOKEN, hash).inboxKey).toBeUndefined();
});

test('links in which a mail gateway has rewritten # are repaired', () => {
  for (const mark of ['%23', '%2523', '#']) {
    const link = readInvitationLink(`${TOKEN}${mark}k1.${KEY}`, '');
    expect(link).toEqual({ token: TOKEN, inboxKey: KEY, isBroken: true });
    expect(repairedPath(link)).toBe(`/upload/${TOKEN}#k1.${KEY}`);
  }
  const damaged = readInvitationLink(`${TOKEN}%23k1.${KEY.slice(2)}`, '');
  expect([damaged.inboxKey, repairedPath(damaged)]).toEqual([undefined, `/upload/${TOKEN}`]);
});
