import { waitFor } from '@testing-library/react';
import { expect, test } from 'vitest';
import { getCurrentUser, logout } from '../../../contracts/accounts/accounts.ts';
import { createMember } from '../../../e2e/actions/people.ts';
import { sendTransfer } from '../../../testing/uploads/send-transfer.ts';
import { call } from '../../api/call.ts';
import { listRequestedPaths, renderPage, resetPage, server } from '../../testing/render-page.tsx';
import { EARLY_PAGES } from './early-pages.ts';
import { matchPage } from './match-page.ts';

test('each page makes the calls that the head of its document starts', async () => {
  const member = await createMember(server, 'free');
  const { id, token } = await sendTransfer(member.client, [{ fileName: 'a.txt', bytes: Buffer.from('a') }]);
  for (const { path, listCalls } of EARLY_PAGES) {
    const pathname = path.replace('/download/:token', `/download/${token}`).replace(':id', id);
    const params = matchPage(path, pathname)!;
    const calls = listCalls({ params, search: new URLSearchParams(), referrer: undefined });
    if (calls.length === 0) continue;
    const isForGuests = path === '/auth';
    renderPage(pathname, isForGuests ? {} : { as: member });
    await waitFor(() => expect(listRequestedPaths()).toEqual(expect.arrayContaining(calls)));
    resetPage();
  }
});

test('the address of a page gives its parameters, and no other page matches', () => {
  const matching = (pathname: string) =>
    EARLY_PAGES.filter(({ path }) => matchPage(path, pathname)).map(({ path }) => path);
  expect(matchPage('/download/:token', '/download/abc/')).toEqual({ token: 'abc' });
  expect(matching('/dashboard')).toEqual(['/dashboard']);
  expect(matching('/dashboard/transfer/x')).toEqual(['/dashboard/transfer/:id']);
  expect(matching('/dashboard/transfer/x/analytics')).toEqual([]);
  expect(matching('/download/%')).toEqual([]);
});

test('an early response is used once, and none after a change', async () => {
  const user = { username: 'early' };
  const start = (response: Promise<Response>) => {
    globalThis.earlyResponses = new Map([[getCurrentUser.path, response]]);
  };
  renderPage('/auth');
  start(Promise.resolve(Response.json(user)));
  expect(await call(getCurrentUser)).toEqual(user);
  await expect(call(getCurrentUser)).rejects.toThrow('401');
  start(Promise.reject(new TypeError('Failed to fetch')));
  await expect(call(getCurrentUser)).rejects.toThrow('401');
  start(Promise.resolve(Response.json(user)));
  await call(logout);
  await expect(call(getCurrentUser)).rejects.toThrow('401');
});
