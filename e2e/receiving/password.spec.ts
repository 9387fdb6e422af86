import { makeBytes } from '../../testing/uploads/upload-files.ts';
import { expect, test } from '../actions/fixtures.ts';
import { readDownload, writeFile } from '../actions/sample-files.ts';
import { chooseFiles, expectToast, openOptions, startUpload, waitForLink } from '../actions/uploads.ts';

const SECRET = 'open sesame';
const BYTES = makeBytes(200_000, 'treasure');

test('a password protects the files from everyone who does not know it', async ({
  memberPage: sender,
  visitorPage: recipient,
}, testInfo) => {
  await sender.goto('/dashboard/upload');
  await chooseFiles(sender, writeFile(testInfo, 'treasure.bin', BYTES));
  await sender.getByLabel('Title').fill('The cave');
  await openOptions(sender);
  await sender.getByLabel('Password', { exact: true }).fill(SECRET);
  await startUpload(sender);
  await recipient.goto(await waitForLink(sender));

  const unlock = recipient.getByRole('button', { name: 'Unlock Transfer' });
  const field = recipient.getByLabel('Password', { exact: true });

  await test.step('nothing of it shows before the password is known', async () => {
    await expect(recipient.getByRole('heading', { name: 'Password Required' })).toBeVisible();
    await expect(recipient.getByText('treasure.bin')).toHaveCount(0);
    await expect(recipient.getByText('The cave')).toHaveCount(0);
    await field.fill('   ');
    await expect(unlock).toBeDisabled();
  });

  await test.step('a wrong one is refused', async () => {
    await field.fill('open barley');
    await unlock.click();
    await expectToast(recipient, 'Invalid password', 'Please check your password and try again');
    await expect(recipient.getByText('treasure.bin')).toHaveCount(0);
  });

  await test.step('the right one opens, also by Enter', async () => {
    await field.fill(SECRET);
    await field.press('Enter');
    await expectToast(recipient, 'Access granted');
    await expect(recipient.getByRole('heading', { name: 'The cave' })).toBeVisible();
    await expect(recipient.getByText('Password Protected')).toBeVisible();
  });

  await test.step('the file comes down', async () => {
    const [download] = await Promise.all([
      recipient.waitForEvent('download'),
      recipient.getByRole('link', { name: 'treasure.bin' }).click(),
    ]);
    expect((await readDownload(download)).equals(BYTES)).toBe(true);
  });

  await test.step('and it stays open for this browser only', async () => {
    await recipient.reload();
    await expect(recipient.getByRole('heading', { name: 'The cave' })).toBeVisible();
    await recipient.context().clearCookies();
    await recipient.reload();
    await expect(recipient.getByRole('heading', { name: 'Password Required' })).toBeVisible();
  });
});
