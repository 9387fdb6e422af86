import type { UserEvent } from '@testing-library/user-event';
import { expect, test } from 'vitest';
import { askForArrivalNotice } from '../../../../contracts/transfers/arrival.ts';
import { viewDownload } from '../../../../contracts/transfers/downloads/downloads.ts';
import { sharePath } from '../../../../contracts/values/addresses/links.ts';
import { createMember } from '../../../../e2e/actions/people.ts';
import { publishFiles } from '../../../../testing/uploads/arriving-transfers.ts';
import {
  answerOnce,
  expectToast,
  fill,
  renderPage,
  screen,
  sentTo,
  server,
  waitFor,
  within,
} from '../../../testing/render-page.tsx';

const BUTTON = 'Email me when it’s all here';
const FILES = [{ name: 'film.bin', bytes: Buffer.from('take two') }];

async function publish() {
  const { client } = await createMember(server, 'premium');
  return publishFiles(client, FILES, { title: 'Rushes' });
}

/** The server of the tests sends no email, so it doesn't offer it. */
async function openOffer() {
  const { token } = await publish();
  const view = await server.anonymous().call(viewDownload, { params: { token } });
  answerOnce(viewDownload, jsonOf({ ...view, offersArrivalNotice: true }));
  const user = renderPage(sharePath(token));
  return { user, view, dialog: await openDialog(user) };
}

const jsonOf = (body: object) => ({
  body: JSON.stringify(body),
  headers: { 'content-type': 'application/json' },
});

async function openDialog(user: UserEvent): Promise<HTMLElement> {
  await user.click(await screen.findByRole('button', { name: BUTTON }));
  const dialog = await screen.findByRole('dialog', { name: BUTTON });
  await waitFor(() => within(dialog).getByLabelText('Your email address'));
  return dialog;
}

test('a visitor leaves an address by keyboard, and the page confirms it', async () => {
  const { user, dialog } = await openOffer();
  await fill(user, within(dialog).getByLabelText('Your email address'), ' rex@example.org');
  answerOnce(askForArrivalNotice, { status: 204 });
  await user.keyboard('{Enter}');
  const status = await screen.findByText(/You can close this page/);
  expect(status.textContent).toBe('We’ll email you when it’s all here. You can close this page.');
  await waitFor(() => expect(document.activeElement).toBe(status));
  expect(screen.queryByRole('button', { name: BUTTON })).toBeNull();
  expect(await sentTo(askForArrivalNotice)).toEqual([{ email: 'rex@example.org' }]);
});

test('a wrong address and a refusal are shown in the dialog, which stays open', async () => {
  const { user, dialog } = await openOffer();
  const field = within(dialog).getByLabelText<HTMLInputElement>('Your email address');
  const send = within(dialog).getByRole('button', { name: 'Email Me' });
  await fill(user, field, 'rex');
  await user.click(send);
  await within(dialog).findByText('Please enter a valid email address');
  expect(document.activeElement).toBe(field);
  expect(await sentTo(askForArrivalNotice)).toEqual([]);
  await fill(user, field, 'rex@example.org');
  answerOnce(askForArrivalNotice, {
    status: 429,
    body: 'Too many attempts. Please wait 40 minutes and try again.',
  });
  await user.click(send);
  const alert = await within(dialog).findByRole('alert');
  expect(alert.textContent).toContain('Too many attempts. Please wait 40 minutes and try again.');
  expect(field.value).toBe('rex@example.org');
});

test('if everything has arrived meanwhile, the dialog closes and the page offers the download', async () => {
  const { user, view, dialog } = await openOffer();
  await fill(user, within(dialog).getByLabelText('Your email address'), 'rex@example.org');
  answerOnce(askForArrivalNotice, {
    status: 409,
    body: { code: 'already_arrived', detail: 'Everything has arrived. You can download it now.' },
  });
  const files = view.files!.map(({ state: _state, receivedBytes: _bytes, ...file }) => file);
  const { arrival: _arrival, offersArrivalNotice: _offer, ...ready } = view;
  answerOnce(viewDownload, jsonOf({ ...ready, files }));
  await user.click(within(dialog).getByRole('button', { name: 'Email Me' }));
  await expectToast('It’s all here', 'Everything has arrived. You can download it now.');
  await waitFor(() => expect(screen.queryByText('These files are still arriving')).toBeNull());
  expect(screen.queryByRole('dialog')).toBeNull();
  screen.getAllByRole('button', { name: /^Download/ });
});

test('it is not offered by a server without a mail server', async () => {
  const { token } = await publish();
  renderPage(sharePath(token));
  await screen.findByRole('button', { name: 'Download when it’s all here' });
  expect(screen.queryByRole('button', { name: BUTTON })).toBeNull();
});
