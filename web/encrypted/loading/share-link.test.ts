import { expect, test } from 'vitest';
import { readShareLink, repairedAddress } from './share-link.ts';

test('the address of a link is read in every form that it can have', () => {
  const key = `1.${'A'.repeat(43)}`;
  const token = 'a'.repeat(26);
  const recipient = 'b'.repeat(26);
  const read = (link: string) => {
    const { pathname, search, hash } = new URL(link, 'https://files.example');
    const share = readShareLink({ pathname, search, hash });
    return share && [repairedAddress(share), share.wasExposed];
  };
  expect(read(`/e/${token}#${key}`)).toEqual([`/e/${token}#${key}`, false]);
  expect(read(`/e/${token}%23${key}`)).toEqual([`/e/${token}#${key}`, true]);
  expect(read(`/e/${token}%2523${key}`)).toEqual([`/e/${token}#${key}`, true]);
  expect(read(`/e/${token}?r=${recipient}#${key}`)).toEqual([`/e/${token}?r=${recipient}#${key}`, false]);
  expect(read(`/e/${token}?r=${recipient}%23${key}`)).toEqual([`/e/${token}?r=${recipient}#${key}`, true]);
  expect(read(`/e/${token}`)).toEqual([`/e/${token}`, false]);
  expect(read('/e/short')).toBeUndefined();
});
