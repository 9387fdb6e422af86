import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { planChunks } from '../../contracts/plans/limits.ts';
import { viewDownload } from '../../contracts/transfers/downloads/downloads.ts';
import { getTransfer } from '../../contracts/transfers/transfers.ts';
import { createInvitation, listArrivals } from '../../contracts/transfers/uploads/invitations.ts';
import { listUploads } from '../../contracts/transfers/uploads/uploads.ts';
import { fileDownloadPath, invitationPath, sharePath } from '../../contracts/values/addresses/links.ts';
import { formatSize, MIB } from '../../contracts/values/sizes.ts';
import type { Client } from '../../testing/calls/client.ts';
import { until } from '../../testing/lib/until.ts';
import { sendTransfer } from '../../testing/uploads/send-transfer.ts';
import { makeBytes } from '../../testing/uploads/upload-files.ts';
import { createMember, inventPerson, type Member, PASSWORD } from '../actions/people.ts';
import {
  type Files,
  listFiles,
  makePicture,
  sha256,
  unzip,
  writeFilesInto,
} from '../actions/sample-files.ts';
import type { BrowserKind } from './browser-driver.ts';
import type { BrowserPage } from './browser-page.ts';
import { BrowserWorld } from './browser-world.ts';
import { describeEncryptedSaves } from './encrypted.suite.ts';

const FOLDER = 'Zürich 2026';
const SENT: Files = {
  [`${FOLDER}/Lies mich.txt`]: 'Grüezi mitenand\n',
  [`${FOLDER}/leer.txt`]: '',
  [`${FOLDER}/Bilder/été à la plage.jpg`]: await makePicture('jpeg', [1600, 1000], 200),
  [`${FOLDER}/Bilder/日本語/写真 🗻.bin`]: makeBytes(6_000_000, 'mountain'),
};
const SENT_BYTES = Object.values(SENT).reduce((sum, content) => sum + Buffer.byteLength(content), 0);

/** More chunks than can be in flight when the page is reloaded. */
const FILM = makeBytes(60 * MIB - 1, 'film');
const CHUNKS_BEFORE_RELOAD = 3;

/** The main journeys in one browser, against the built product. */
export function describeJourneys(browser: BrowserKind): void {
  const { name, packages } = browser;
  if (!browser.isInstalled()) {
    test(`${name} is installed`, () => assert.fail(`npm run test:servers could not install ${packages}.`));
    return;
  }
  describe(`in ${name}`, () => {
    let world: BrowserWorld;
    before(async () => {
      world = await BrowserWorld.start(browser);
    });
    after(() => world?.stop());

    /** Runs a journey in a new window, in which nothing may go wrong. */
    const journey = (name: string, act: (page: BrowserPage) => Promise<void>) =>
      test(name, async () => {
        const page = await world.openWindow();
        try {
          await act(page);
          await page.expectNoProblems();
        } finally {
          await page.close();
        }
      });

    journey('errors of a page are reported, and there are none', async (page) => {
      await page.open(world.addressOf('/auth'));
      await page.waitFor({ label: 'Username' });
      await page.expectNoProblems();
      const problems = await page.causeProblems();
      assert.equal(problems.length, 3);
      for (const name of ['logged', 'thrown', 'rejected']) assert.match(problems.join('\n'), RegExp(name));
    });

    journey('a new user signs up with the emailed code', async (page) => {
      const { name, username, email } = inventPerson();
      await page.open(world.addressOf('/auth'));
      await page.click({ role: 'link', name: "Don't have an account? Sign up" });
      await page.fill({ label: 'Full Name' }, name);
      await page.fill({ label: 'Username' }, username);
      await page.fill({ label: 'Email' }, email);
      await page.fill({ label: 'Password' }, PASSWORD);
      await page.fill({ label: 'Confirm Password' }, PASSWORD);
      await page.click({ role: 'checkbox' });
      await page.click({ role: 'button', name: 'Create Account' });
      await page.waitFor({ label: 'Verification code' });
      await page.fill({ label: 'Verification code' }, await world.server.findCode(email));
      await page.waitForPath('/dashboard');
      await page.waitForText('No transfers yet');
    });

    journey('a signed-in user sends a folder, which arrives byte for byte', async (page) => {
      const member = await signIn(page);
      const chosen = writeFilesInto(world.folderFor('folder'), { ...SENT, [`${FOLDER}/.DS_Store`]: 'junk' });
      await page.open(world.addressOf('/dashboard/upload'));
      await page.chooseFolder(join(chosen, FOLDER));
      await page.waitForText(`4 files, ${formatSize(SENT_BYTES)} in total`);
      await page.fill({ role: 'textbox', name: /^Title/ }, 'Photographs');
      const link = await upload(page);
      await expectFiles(member.client, tokenOf(link), SENT);
    });

    journey('an upload that a reload interrupts resumes and sends no chunk twice', async (page) => {
      const member = await signIn(page);
      const films = { 'film.bin': FILM };
      const path = join(writeFilesInto(world.folderFor('film'), films), 'film.bin');
      world.stopAfter(CHUNKS_BEFORE_RELOAD);
      await page.open(world.addressOf('/dashboard/upload'));
      await page.chooseFiles([path]);
      await page.click({ role: 'button', name: 'Upload' });
      await until(async () => {
        const [begun] = await member.client.call(listUploads);
        return begun?.receivedChunks.length === CHUNKS_BEFORE_RELOAD;
      });
      await page.reload();
      await page.waitForText(/MB of 60 MB uploaded/);
      world.letPass();
      await page.chooseFiles([path]);
      const link = await waitForLink(page);
      assert.equal(new Set(world.chunks).size, world.chunks.length, 'each chunk once');
      assert.equal(world.chunks.length, planChunks(FILM.length).totalChunks);
      await expectFiles(member.client, tokenOf(link), films);
    });

    journey('a recipient downloads one file, and all as a zip', async (page) => {
      const { client } = await createMember(world.server, 'premium');
      const files = Object.entries(SENT).map(([path, content]) => ({
        fileName: path.slice(path.lastIndexOf('/') + 1),
        bytes: Buffer.from(content),
      }));
      const { token } = await sendTransfer(client, files, { title: 'Photographs' });
      await page.open(world.addressOf(sharePath(token)));
      await page.click({ role: 'link', name: /写真 🗻\.bin/ });
      const picture = files.find(({ fileName }) => fileName === '写真 🗻.bin')!;
      assert.equal(sha256(await page.readDownload('写真 🗻.bin')), sha256(picture.bytes));
      await page.click({ role: 'button', name: /^Download All Files/ });
      const zip = await page.waitForDownload('Photographs.zip');
      const unpacked = unzip(zip, world.folderFor('unpacked'));
      assert.deepEqual(listFiles(unpacked), files.map(({ fileName }) => fileName).sort());
      for (const { fileName, bytes } of files)
        assert.equal(sha256(readFileSync(join(unpacked, fileName))), sha256(bytes), fileName);
    });

    journey('a visitor verifies the email address and uploads a folder and a file', async (page) => {
      const { client } = await createMember(world.server, 'premium');
      const { id, token } = await client.call(createInvitation, { body: { title: 'Wedding' } });
      const { email } = inventPerson();
      const sent = { ...SENT, 'clip.bin': makeBytes(6_000_000, 'clip') };
      const chosen = writeFilesInto(world.folderFor('visitor'), sent);
      await page.open(world.addressOf(invitationPath(token)));
      await page.fill({ label: 'Email address' }, email);
      await page.click({ role: 'button', name: 'Send Verification Code' });
      await page.waitFor({ label: 'Verification code' });
      await page.fill({ label: 'Verification code' }, await world.server.findLink(email, 'visitor-code'));
      await page.waitFor({ role: 'heading', name: 'Your files' });
      await page.chooseFolder(join(chosen, FOLDER));
      await page.chooseFiles([join(chosen, 'clip.bin')]);
      await page.click({ role: 'button', name: 'Upload 5 File(s)' });
      await page.waitForText(/^Your 5 file\(s\) have been uploaded/);
      const [arrival] = await client.call(listArrivals, { params: { id } });
      assert.equal(arrival?.receivedFrom, email);
      const transfer = await client.call(getTransfer, { params: { id: arrival!.transferId } });
      await expectFiles(client, transfer.token, sent);
    });

    describeEncryptedSaves(journey, () => world, { canStage: browser.canStage });

    async function signIn(page: BrowserPage): Promise<Member> {
      const member = await createMember(world.server, 'premium');
      await page.open(world.addressOf('/auth'));
      await page.fill({ label: 'Username' }, member.username);
      await page.fill({ label: 'Password' }, PASSWORD);
      await page.click({ role: 'button', name: 'Sign In' });
      await page.waitForText('No transfers yet');
      return member;
    }
  });
}

async function upload(page: BrowserPage): Promise<string> {
  await page.click({ role: 'button', name: 'Upload' });
  return waitForLink(page);
}

function waitForLink(page: BrowserPage): Promise<string> {
  return page.textOf({ role: 'textbox', name: 'Share link' });
}

function tokenOf(link: string): string {
  return link.slice(link.lastIndexOf('/') + 1);
}

/** The transfer has exactly these files, with their paths and bytes. */
async function expectFiles(client: Client, token: string, sent: Files): Promise<void> {
  const { files = [] } = await client.call(viewDownload, { params: { token } });
  assert.deepEqual(files.map(({ relativePath }) => relativePath).sort(), Object.keys(sent).sort());
  for (const { id, relativePath } of files) {
    const response = await client.fetch(fileDownloadPath(token, id));
    const bytes = Buffer.from(await response.arrayBuffer());
    assert.equal(sha256(bytes), sha256(Buffer.from(sent[relativePath]!)), relativePath);
  }
}
