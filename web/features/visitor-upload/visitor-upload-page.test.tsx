import { expect, test } from 'vitest';
import {
  createInvitation,
  sendInvitationCode,
  verifyInvitationCode,
} from '../../../contracts/transfers/uploads/invitations.ts';
import { invitationPath } from '../../../contracts/values/addresses/links.ts';
import { findVisitorCode, inventAddress } from '../../../e2e/actions/invitations.ts';
import { createMember, inventPerson } from '../../../e2e/actions/people.ts';
import { deliverFiles } from '../../../e2e/actions/uploads.ts';
import { formatInboxKey } from '../../../encryption/inbox-link.ts';
import { createInboxKey } from '../../../encryption/requests.ts';
import {
  cutOnce,
  expectToast,
  renderPage,
  screen,
  sentTo,
  server,
  waitFor,
} from '../../testing/render-page.tsx';

async function openInvitation(limits: object = { maxFiles: 10 }) {
  const { client } = await createMember(server, 'premium');
  const { token } = await client.call(createInvitation, { body: { title: 'Pictures', ...limits } });
  return { token, email: inventAddress() };
}

test('the code is submitted with its sixth digit; a wrong one is cleared and can be typed again', async () => {
  const { token, email } = await openInvitation();
  const user = renderPage(invitationPath(token));
  await user.type(await screen.findByLabelText('Email address'), `${email}{Enter}`);
  const field = await screen.findByLabelText<HTMLInputElement>('Verification code');
  await waitFor(() => expect(document.activeElement).toBe(field));
  const code = await findVisitorCode(server, email);
  await user.keyboard(code.slice(0, 5));
  expect(await sentTo(verifyInvitationCode)).toEqual([]);
  await user.keyboard(code.endsWith('0') ? '1' : '0');
  await expectToast('Error', '400: This code is incorrect. Check it and try again.');
  await waitFor(() => expect(field.value).toBe(''));
  expect(document.activeElement).toBe(field);
  await user.paste(code);
  await expectToast('Email verified!', 'You can now upload your files');
  await screen.findByText('Your files');
  expect(await sentTo(verifyInvitationCode)).toHaveLength(2);
});

test('a code is kept when the connection breaks while it is checked', async () => {
  const { token, email } = await openInvitation();
  const user = renderPage(invitationPath(token));
  await user.type(await screen.findByLabelText('Email address'), `${email}{Enter}`);
  const field = await screen.findByLabelText<HTMLInputElement>('Verification code');
  await waitFor(() => expect(document.activeElement).toBe(field));
  const code = await findVisitorCode(server, email);
  cutOnce(verifyInvitationCode);
  await user.paste(code);
  await expectToast('Error');
  expect(field.value).toBe(code);
  await user.click(screen.getByRole('button', { name: 'Verify Email' }));
  await screen.findByText('Your files');
});

test('a visitor who proved the address lands on the files step', async () => {
  const { token, email } = await openInvitation();
  const client = server.anonymous();
  const params = { token };
  await client.call(sendInvitationCode, { params, body: { email } });
  const code = await findVisitorCode(server, email);
  await client.call(verifyInvitationCode, { params, body: { email, code } });
  renderPage(invitationPath(token), { as: { ...inventPerson(), client } });
  await screen.findByText('Your files');
  screen.getByText(email);
  expect(screen.queryByLabelText('Email address')).toBeNull();
});

test('an encrypted invitation needs the key in its link, and can be pasted whole', async () => {
  const { token } = await openInvitation({ encryption: 'e2e-1' });
  const { publicKey } = await createInboxKey();
  const link = `https://sendwell.example${invitationPath(token)}#${formatInboxKey({ publicKey })}`;
  const user = renderPage(invitationPath(token));
  await screen.findByRole('heading', { name: 'The key is missing' });
  const field = screen.getByLabelText('Link of the invitation');
  await user.type(field, `${link.slice(0, -1)}{Enter}`);
  await screen.findByText('This link has no key. Copy all of it.');
  await user.clear(field);
  await user.type(field, `${link}{Enter}`);
  await screen.findByLabelText('Email address');
  screen.getByText(/^End-to-end encrypted: files, names and your message/);
  expect(window.location.hash).toBe(`#${formatInboxKey({ publicKey })}`);
});

test('a link with a key is not used for readable files', async () => {
  const { token } = await openInvitation();
  const { publicKey } = await createInboxKey();
  renderPage(`${invitationPath(token)}#${formatInboxKey({ publicKey })}`);
  await screen.findByText(/^This link asks for end-to-end encrypted files/);
  expect(screen.queryByLabelText('Email address')).toBeNull();
});

test('a visitor reads that the limit of all visitors is reached before choosing files', async () => {
  const { token, email } = await openInvitation({ totalFilesLimit: 1 });
  const files = [{ fileName: 'a.txt', bytes: Buffer.from('a') }];
  await deliverFiles(server, { invitationToken: token, email: inventAddress('tom'), files });
  const user = renderPage(invitationPath(token));
  await user.type(await screen.findByLabelText('Email address'), `${email}{Enter}`);
  await user.type(await screen.findByLabelText('Verification code'), await findVisitorCode(server, email));
  await screen.findByText('The limit of this invitation is reached. It accepts no more files.');
  screen.getByText('0 of 100 left');
});
