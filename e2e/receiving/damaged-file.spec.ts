import { ERRORS } from '../../contracts/errors.ts';
import { getTransfer } from '../../contracts/transfers/transfers.ts';
import { sharePath } from '../../contracts/values/addresses/links.ts';
import { transferPage } from '../../contracts/values/addresses/pages.ts';
import { sendTransfer } from '../../testing/uploads/send-transfer.ts';
import { expectAccessible } from '../actions/accessibility.ts';
import { expect, test } from '../actions/fixtures.ts';
import { writeFile } from '../actions/sample-files.ts';
import { expectToast } from '../actions/uploads.ts';

const FILES = [
  { fileName: 'portrait.tif', bytes: Buffer.alloc(80_000, 'portrait') },
  { fileName: 'contract.pdf', bytes: Buffer.alloc(20_000, 'contract') },
];

test(
  'the sender repairs a damaged file by sending the original again',
  { tag: '@all' },
  async ({ server, member, memberPage: page, visitorPage }, testInfo) => {
    const { id, token, fileIds } = await sendTransfer(member.client, FILES, { title: 'Pictures' });
    const listSums = async () =>
      (await member.client.call(getTransfer, { params: { id } })).files.map(({ sha256 }) => sha256);
    await expect.poll(listSums).not.toContain(null);
    server.withDatabase((database) =>
      database.prepare('UPDATE files SET damagedAt = 1 WHERE id = ?').run(fileIds[0]!),
    );
    await page.goto(transferPage(id));
    await expect(page.getByText('1 file is damaged on the server')).toBeVisible();
    await expectAccessible(page, 'a damaged file');

    const original = page.getByLabel('Original of portrait.tif');
    await original.setInputFiles(writeFile(testInfo, 'shorter.tif', 'short'));
    await expectToast(page, 'This is not the original file');
    await original.setInputFiles(writeFile(testInfo, 'edited.tif', Buffer.alloc(80_000, 'edited')));
    await expectToast(page, 'The file was not repaired', ERRORS.repair_differs.message);
    await original.setInputFiles(writeFile(testInfo, 'portrait.tif', FILES[0]!.bytes));
    await expectToast(page, 'File received');
    await expect(page.getByText('1 file is damaged on the server')).toHaveCount(0);
    await expect(page.getByRole('button', { name: 'Send again: portrait.tif' })).toHaveCount(0);

    await visitorPage.goto(sharePath(token));
    await expect(visitorPage.getByRole('link', { name: 'portrait.tif' })).toBeVisible();
  },
);
