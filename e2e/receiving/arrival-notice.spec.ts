import { completeUploads } from '../../contracts/transfers/uploads/uploads.ts';
import { sharePath } from '../../contracts/values/addresses/links.ts';
import { until } from '../../testing/lib/until.ts';
import { startSmtpServer, type TestSmtpServer } from '../../testing/network/smtp-server.ts';
import { publishFiles, storeChunk } from '../../testing/uploads/arriving-transfers.ts';
import { expectAccessible } from '../actions/accessibility.ts';
import { test as base, expect } from '../actions/fixtures.ts';
import { createMember, type Member } from '../actions/people.ts';
import { type JourneyServer, startJourneyServer } from '../servers/journey-server.ts';

/** A server that sends its mails to this machine. */
const test = base.extend<{ member: Member }, { smtp: TestSmtpServer; server: JourneyServer }>({
  smtp: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of the fixtures it needs.
    async ({}, use) => {
      const smtp = await startSmtpServer();
      await use(smtp);
      await smtp.stop();
    },
    { scope: 'worker' },
  ],
  server: [
    async ({ smtp }, use) => {
      const server = await startJourneyServer({ SMTP_URL: smtp.url });
      await use(server);
      await server.remove();
    },
    { scope: 'worker' },
  ],
  member: async ({ server, smtp }, use) => {
    const findCode = async (email: string) => /^\d{6}$/m.exec((await findMail(smtp, email)).text!)![0];
    await use(await createMember(server, 'premium', findCode));
  },
});

async function findMail({ mails }: TestSmtpServer, email: string): Promise<TestSmtpServer['mails'][number]> {
  const find = () => mails.find(({ envelope }) => envelope.to.includes(email));
  await until(async () => find() !== undefined);
  return find()!;
}

test('a visitor on a phone leaves an address, closes the page and is mailed when everything is here', async ({
  smtp,
  member,
  visitorPage: page,
}) => {
  const arriving = await publishFiles(member.client, [{ name: 'film.bin', bytes: Buffer.from('take two') }], {
    title: 'Rushes',
  });
  await test.step('the visitor asks', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(sharePath(arriving.token));
    const button = page.getByRole('button', { name: 'Email me when it’s all here' });
    await button.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Email me when it’s all here' });
    await expect(dialog.getByLabel('Your email address')).toBeFocused();
    await page.keyboard.press('Escape');
    await expect(button).toBeFocused();
    await page.keyboard.press('Enter');
    await dialog.getByLabel('Your email address').fill('rex@example.org');
    await expectAccessible(page, 'asking for an email');
    await page.setViewportSize({ width: 390, height: 844 });
    await page.keyboard.press('Enter');
    await expect(page.getByText('You can close this page.')).toBeFocused();
    const overflow = await page.evaluate('document.documentElement.scrollWidth - window.innerWidth');
    expect(overflow).toBeLessThanOrEqual(0);
    await page.close();
  });

  await test.step('the last file arrives, and the mail leads to the download', async () => {
    const [file] = arriving.files;
    await storeChunk(member.client, file!, 0);
    await member.client.call(completeUploads, {
      body: { transferId: arriving.id, uploadIds: [file!.uploadId] },
    });
    const { subject, text } = await findMail(smtp, 'rex@example.org');
    expect(subject).toContain('All here: “Rushes”');
    expect(text).toContain(sharePath(arriving.token));
  });
});
