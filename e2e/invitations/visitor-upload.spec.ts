import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { getTransfer } from '../../contracts/transfers/transfers.ts';
import {
  getInvitationDetails,
  listArrivals,
  sendInvitationCode,
  toggleInvitation,
} from '../../contracts/transfers/uploads/invitations.ts';
import { initUploads } from '../../contracts/transfers/uploads/uploads.ts';
import { fileDownloadPath, invitationPath } from '../../contracts/values/addresses/links.ts';
import { KIB } from '../../contracts/values/sizes.ts';
import { makeBytes } from '../../testing/uploads/upload-files.ts';
import { expectAccessible } from '../actions/accessibility.ts';
import { expect, test } from '../actions/fixtures.ts';
import {
  askForCode,
  codeField,
  expectDelivered,
  findVisitorCode,
  inventAddress,
  inviteGuests,
  openAndVerify,
  uploadButton,
} from '../actions/invitations.ts';
import type { Member } from '../actions/people.ts';
import { type Files, writeFile, writeFiles } from '../actions/sample-files.ts';
import { chooseFiles, chooseFolder, expectToast } from '../actions/uploads.ts';

const CLOSED = 'This invitation link is invalid, expired, or has been disabled.';
const SENT: Files = {
  'Party/Lies mich.txt': 'Grüezi\n',
  'Party/leer.txt': '',
  'Party/Bilder/été.jpg': makeBytes(300_000, 'beach'),
  'film.bin': makeBytes(6_000_000, 'film'),
};

test('a visitor enters email and code and sends files, which arrive byte for byte', async ({
  server,
  member: prem,
  visitorPage: vera,
}, testInfo) => {
  const { id, token } = await inviteGuests(prem, { message: 'Everything you have, please.' });
  const email = inventAddress();
  const chosen = writeFiles(testInfo, { ...SENT, 'Party/.DS_Store': 'junk' });

  await test.step('the sender’s name and message, and step 1', async () => {
    await vera.goto(invitationPath(token));
    await expect(vera.getByText(`${prem.name} is requesting files from you`)).toBeVisible();
    await expect(vera.getByRole('heading', { name: 'Wedding photographs' })).toBeVisible();
    await expect(vera.getByText('Everything you have, please.')).toBeVisible();
    await expect(vera.getByLabel('Email address')).toBeFocused();
    await vera.keyboard.type(email);
    await vera.keyboard.press('Enter');
    await expectToast(vera, 'Code sent!', 'Please check your email for the verification code');
  });
  await test.step('a wrong code is refused and cleared away', async () => {
    const code = await findVisitorCode(server, email);
    await expect(codeField(vera)).toBeFocused();
    await vera.keyboard.type(code === '111111' ? '222222' : '111111');
    await expectToast(vera, 'Error', '400: This code is incorrect. Check it and try again.');
    await expect(codeField(vera)).toHaveValue('');
    await expect(codeField(vera)).toBeFocused();
  });
  await test.step('the right one, pasted as it was mailed, opens the last step', async () => {
    const code = await findVisitorCode(server, email);
    await vera.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await vera.evaluate(`navigator.clipboard.writeText('${code.slice(0, 3)} ${code.slice(3)}')`);
    await vera.keyboard.press('ControlOrMeta+V');
    await expectToast(vera, 'Email verified!', 'You can now upload your files');
    await expect(vera.getByRole('heading', { name: 'Your files' })).toBeFocused();
  });
  await test.step('a folder and a file are sent', async () => {
    await chooseFolder(vera, join(chosen, 'Party'));
    await chooseFiles(vera, join(chosen, 'film.bin'));
    await expect(uploadButton(vera)).toHaveText('Upload 4 File(s)');
    await vera.getByRole('button', { name: 'Remove film.bin' }).click();
    await expect(uploadButton(vera)).toHaveText('Upload 3 File(s)');
    await chooseFiles(vera, join(chosen, 'film.bin'));
    await vera.getByLabel('Message').fill('With love');
    await uploadButton(vera).click();
    await expectDelivered(vera, 4);
  });
  await test.step('afterwards the page says what arrived and how much more can be sent', async () => {
    await expect(vera.getByTestId('delivered')).toContainText('4 files, 6 MB');
    await expect(vera.getByTestId('delivered')).toContainText(
      `We'll email a receipt with the checksums to ${email}`,
    );
    await expect(vera.getByRole('heading', { name: `Delivered to ${prem.name}` })).toBeFocused();
    await expect(vera.getByTestId('delivered')).toContainText('96 of 100 files, 50 GB left');
  });
  await test.step('the sender has it', async () => {
    const [arrival] = await prem.client.call(listArrivals, { params: { id } });
    expect(arrival).toMatchObject({ receivedFrom: email, message: 'With love', fileCount: 4 });
    await expectBytes(prem, arrival!.transferId);
  });
  await test.step('more is sent without a new code, also in another window, and both show the right remainder', async () => {
    const other = await vera.context().newPage();
    await other.goto(invitationPath(token));
    await expect(other.getByText('96 of 100 left')).toBeVisible();
    await vera.getByRole('button', { name: 'Send more files' }).click();
    await expect(vera.getByRole('heading', { name: 'Your files' })).toBeFocused();
    await chooseFiles(vera, join(chosen, 'film.bin'));
    await uploadButton(vera).click();
    await expect(vera.getByTestId('delivered')).toContainText('95 of 100 files, 50 GB left');
    await expect(other.getByText('95 of 100 left')).toBeVisible();
    await chooseFiles(other, join(chosen, 'film.bin'));
    await uploadButton(other).click();
    await expect(other.getByTestId('delivered')).toContainText('94 of 100 files, 50 GB left');
    await expect(vera.getByTestId('delivered')).toContainText('94 of 100 files, 50 GB left');
  });
});

test(
  'visitor upload: messages before anything is sent',
  { tag: '@all' },
  async ({ server, member: prem, visitorPage: vera }, testInfo) => {
    const { token } = await inviteGuests(prem);
    await vera.goto(invitationPath(token));
    for (const wrong of ['', 'vera.example.org']) {
      await vera.getByLabel('Email address').fill(wrong);
      await vera.getByRole('button', { name: 'Send Verification Code' }).click();
      await expect(vera.getByText('Please enter a valid email address', { exact: true })).toBeVisible();
      await expect(vera.getByLabel('Email address')).toBeFocused();
    }
    const sendPath = sendInvitationCode.path.replace(':token', token);
    await vera.route(`**${sendPath}`, (route) => route.fulfill({ status: 503, body: 'No mail today.' }), {
      times: 1,
    });
    const email = inventAddress();
    await vera.getByLabel('Email address').fill(email);
    await vera.getByRole('button', { name: 'Send Verification Code' }).click();
    await expectToast(vera, 'Error', '503: No mail today.');
    await askForCode(vera, email);

    await test.step('Visitor code: 6 digits', async () => {
      await codeField(vera).fill('12345');
      await vera.getByRole('button', { name: 'Verify Email' }).click();
      await expect(vera.getByText('Please enter the 6-digit code', { exact: true })).toBeVisible();
      await expect(codeField(vera)).toHaveAttribute('autocomplete', 'one-time-code');
    });
    await test.step('the address can be changed, and is not asked twice', async () => {
      await vera.getByRole('button', { name: 'Use another address' }).click();
      await expect(vera.getByLabel('Email address')).toHaveValue(email);
      await askForCode(vera, email);
    });
    await test.step('a new code', async () => {
      const before = await findVisitorCode(server, email);
      await vera.getByRole('button', { name: 'Resend Code' }).click();
      await expectToast(vera, 'Code sent!', 'Please check your email for the verification code');
      await expect(vera.getByRole('button', { name: /Resend Code in/ })).toBeVisible();
      await codeField(vera).fill(await findVisitorCode(server, email, before));
      await expect(vera.getByRole('heading', { name: 'Your files' })).toBeVisible();
    });
    await test.step('zero files', async () => {
      await uploadButton(vera).click();
      await expectToast(vera, 'No files selected', 'Please select at least one file to upload');
    });
    await test.step('upload first shows that it started, then the server’s text', async () => {
      await chooseFiles(vera, writeFile(testInfo, 'speech.txt', 'Hello'));
      const answer = Promise.withResolvers<void>();
      await vera.route(`**${initUploads.path}*`, async (route) => {
        await answer.promise;
        await route.fulfill({ status: 413, body: 'No room today.' });
      });
      await uploadButton(vera).click();
      await expectToast(vera, 'Upload started');
      answer.resolve();
      await expectToast(vera, 'Upload failed', 'No room today.');
      await vera.unrouteAll();
      await vera.getByTestId('upload-progress').getByRole('button', { name: 'Try again' }).click();
      await expectDelivered(vera, 1);
    });
  },
);

test(
  'a visitor’s selection that breaks a rule is refused as a whole',
  { tag: '@all' },
  async ({ server, member: prem, visitorPage: vera }, testInfo) => {
    const limits = { maxFileSize: 2 * KIB, maxFiles: 2, maxTotalSize: 3 * KIB, allowedTypes: ['txt', 'bin'] };
    const { token } = await inviteGuests(prem, limits);
    const folder = writeFiles(testInfo, {
      'big.bin': makeBytes(2 * KIB + 1),
      'a.bin': makeBytes(2 * KIB),
      'b.bin': makeBytes(2 * KIB, 'b'),
      'c.txt': 'c',
      'd.txt': 'd',
      'e.exe': 'e',
    });
    await openAndVerify(vera, server, { token, email: inventAddress() });
    await expect(vera.getByText('TXT or BIN')).toBeVisible();
    const refusals = [
      [['c.txt', 'big.bin'], 'File too large', 'big.bin exceeds the 2 KB limit'],
      [['a.bin', 'c.txt', 'd.txt'], 'Too many files', 'You can only upload up to 2 files'],
      [['a.bin', 'b.bin'], 'Total size exceeds limit', 'Total size cannot exceed 3 KB'],
      [['e.exe'], 'File type not allowed', 'e.exe cannot be uploaded here. Allowed types: txt, bin.'],
    ] as const;
    for (const [names, title, text] of refusals) {
      await chooseFiles(
        vera,
        names.map((name) => join(folder, name)),
      );
      await expectToast(vera, title, text);
      await expect(vera.getByTestId('file-row')).toHaveCount(0);
    }
    await chooseFiles(vera, [join(folder, 'a.bin'), join(folder, 'c.txt')]);
    await chooseFiles(vera, join(folder, 'd.txt'));
    await expectToast(vera, 'Too many files', 'You can only upload up to 2 files');
    await expect(vera.getByTestId('file-row')).toHaveCount(2);
    await uploadButton(vera).click();
    await expectDelivered(vera, 2);
  },
);

test('a deleted invitation shows Invitation Not Found, even between two steps', { tag: '@all' }, async ({
  member: prem,
  visitorPage: vera,
}) => {
  await vera.goto(invitationPath('nobody-knows-this-link'));
  await expectCard(vera);
  const { id, token } = await inviteGuests(prem);
  await test.step('no answer is no invitation either, until there is one', async () => {
    const details = `**${getInvitationDetails.path.replace(':token', token)}`;
    const arrived = Promise.withResolvers<void>();
    await vera.route(details, async (route) => {
      await arrived.promise;
      await route.abort();
    });
    await vera.goto(invitationPath(token));
    await expect(vera.getByRole('main').getByText('Loading invitation')).toBeAttached();
    arrived.resolve();
    await expectCard(vera);
    await vera.unrouteAll();
    await vera.getByRole('button', { name: 'Try again' }).click();
    await expect(vera.getByLabel('Email address')).toBeVisible();
  });
  await prem.client.call(toggleInvitation, { params: { id }, body: { isActive: false } });
  await vera.getByLabel('Email address').fill(inventAddress());
  await vera.getByRole('button', { name: 'Send Verification Code' }).click();
  await expectToast(vera, 'Error', `410: ${CLOSED}`);
  await expectCard(vera);
  await vera.reload();
  await expectCard(vera);
  await expectAccessible(vera, 'a closed invitation');
});

async function expectCard(page: Page): Promise<void> {
  await expect(page.getByRole('heading', { name: 'Invitation Not Found' })).toBeVisible();
  await expect(page.getByRole('main').getByText(CLOSED, { exact: true })).toBeVisible();
}

/** All files arrived with their names and bytes. */
async function expectBytes({ client }: Member, transferId: string): Promise<void> {
  const { token, files } = await client.call(getTransfer, { params: { id: transferId } });
  expect(files.map(({ relativePath }) => relativePath).sort()).toEqual(Object.keys(SENT).sort());
  for (const { id, relativePath } of files) {
    const answer = await client.fetch(fileDownloadPath(token, id));
    const bytes = Buffer.from(await answer.arrayBuffer());
    expect(bytes.equals(Buffer.from(SENT[relativePath]!)), relativePath).toBe(true);
  }
}
