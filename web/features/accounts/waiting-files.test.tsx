import { expect, test } from 'vitest';
import { register } from '../../../contracts/accounts/accounts.ts';
import { verifyEmailPath } from '../../../contracts/values/addresses/links.ts';
import { SIGN_UP_PATH } from '../../../contracts/values/addresses/pages.ts';
import { createMember, inventPerson, PASSWORD } from '../../../e2e/actions/people.ts';
import { setDeviceSwitch } from '../../lib/browser/device-switch.ts';
import { findKeptFiles, keepFiles } from '../../lib/browser/kept-files.ts';
import { keepDatabasesInMemory } from '../../testing/memory-database.ts';
import {
  expectPath,
  expectToast,
  fill,
  renderPage,
  screen,
  server,
  waitFor,
  within,
} from '../../testing/render-page.tsx';

test('files that wait are listed on both forms and can be discarded', async () => {
  await keep('a.jpg', 'b.jpg', 'c.jpg', 'd.jpg', 'e.jpg');
  const user = renderPage(SIGN_UP_PATH);
  const notice = within(await screen.findByRole('region', { name: 'Files waiting' }));
  notice.getByText('5 files are waiting.');
  notice.getByText('Sign up to send them.');
  expect(notice.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
    'a.jpg',
    'b.jpg',
    'c.jpg',
    '2 more',
  ]);
  await user.click(screen.getByRole('link', { name: 'Already have an account? Sign in' }));
  await screen.findByText('Sign in to send them.');
  await user.click(screen.getByRole('button', { name: 'Discard these files' }));
  expect(screen.queryByRole('region', { name: 'Files waiting' })).toBeNull();
  expect(document.activeElement).toBe(screen.getByRole('main'));
  await waitFor(async () => expect(await findKeptFiles()).toBeUndefined());
});

test('nothing is announced when no files wait', async () => {
  renderPage(SIGN_UP_PATH);
  await screen.findByLabelText('Full Name');
  expect(screen.queryByRole('region', { name: 'Files waiting' })).toBeNull();
});

test('signing in continues with the files', async () => {
  const member = await createMember(server, 'free');
  await keep('report.pdf');
  const user = renderPage('/auth');
  await screen.findByText('1 file is waiting.');
  await fill(user, await screen.findByLabelText('Username'), member.username);
  await fill(user, screen.getByLabelText('Password'), PASSWORD);
  await user.click(screen.getByRole('button', { name: 'Sign In' }));
  await expectPath('/dashboard/upload');
  await screen.findByText('report.pdf');
  expect(await findKeptFiles()).toBeUndefined();
});

test('verifying the address continues with the files at once', async () => {
  const person = inventPerson();
  const client = server.anonymous();
  await client.call(register, { body: { ...person, password: PASSWORD } });
  await keep('report.pdf');
  // happy-dom has no workers: the failed upload would replace the toast.
  setDeviceSwitch('send-ahead', false);
  const user = renderPage(verifyEmailPath(person.email), { as: { ...person, client } });
  await user.type(await screen.findByLabelText('Verification code'), await server.findCode(person.email));
  await expectPath('/dashboard/upload');
  await expectToast('Email verified!', 'Your email has been successfully verified.');
  await screen.findByText('report.pdf');
});

test('files that the plan refuses stay for after an upgrade', async () => {
  const member = await createMember(server, 'free');
  keepDatabasesInMemory();
  const film = new File(['x'], 'film.mov');
  Object.defineProperty(film, 'size', { value: 6 * 1024 ** 3 });
  await keepFiles({ files: [{ file: film, relativePath: 'film.mov' }], roots: [] });
  renderPage('/dashboard/upload', { as: member });
  await expectToast('File size limit exceeded');
  await waitFor(async () => expect(await findKeptFiles()).toEqual({ count: 1, names: ['film.mov'] }));
});

async function keep(...names: string[]): Promise<void> {
  keepDatabasesInMemory();
  const files = names.map((name) => ({ file: new File(['x'], name), relativePath: name }));
  await keepFiles({ files, roots: [] });
}
