import type { Page, Request } from '@playwright/test';
import { listTransfers } from '../../contracts/transfers/transfers.ts';
import { listInvitations } from '../../contracts/transfers/uploads/invitations.ts';
import { MIB } from '../../contracts/values/sizes.ts';
import { makeBytes } from '../../testing/uploads/upload-files.ts';
import { ChunkWatch, setLine, stopHalfway } from '../actions/chunk-watch.ts';
import { hashPrivateFiles, PICK_PRIVATE_PLACES, saveAll } from '../actions/encrypted.ts';
import { expect, test } from '../actions/fixtures.ts';
import {
  askForCode,
  codeField,
  createEncryptedInvitation,
  expectDelivered,
  findVisitorCode,
  inventAddress,
  uploadButton,
} from '../actions/invitations.ts';
import { sha256, writeFiles } from '../actions/sample-files.ts';
import { chooseFiles } from '../actions/uploads.ts';

test.describe.configure({ timeout: 180_000 });

const CANARY = /canary/i;
const FILM = Buffer.concat([Buffer.from('canary in the film'), makeBytes(16 * MIB, 'requested film')]);
const NOTE = Buffer.from('canary in the note');

test(
  'a visitor sends encrypted files with a reload in the middle, and only the owner opens them',
  { tag: '@all' },
  async ({ member, memberPage: owner, visitorPage: visitor, server }, testInfo) => {
    const link = await createEncryptedInvitation(owner);
    const dialog = owner.getByRole('dialog', { name: 'Invitation link' });
    expect(link).toMatch(/\/upload\/[0-9a-z]{26}#k1\.B[\w-]{86}$/);
    const [invitation] = await member.client.call(listInvitations);

    // As a mail gateway rewrites links.
    const email = inventAddress();
    const leaks = watchForCanaries(visitor);
    await visitor.goto(link.replace('#', '%23'));
    await askForCode(visitor, email);
    await expect(visitor).toHaveURL(link);
    await codeField(visitor).fill(await findVisitorCode(server, email));
    await expect(visitor.getByRole('heading', { name: 'Your files' })).toBeVisible();
    const folder = writeFiles(testInfo, { 'canary-film.bin': FILM, 'canary-note.txt': NOTE });
    const files = [`${folder}/canary-film.bin`, `${folder}/canary-note.txt`];
    await chooseFiles(visitor, files);
    await visitor.getByLabel('Message').fill('Canary message');
    const watch = new ChunkWatch(visitor);
    await stopHalfway(visitor, watch, () => uploadButton(visitor).click());
    visitor.once('dialog', (question) => void question.accept());
    await visitor.reload();
    await setLine(visitor, 'normal');
    await expect(visitor.getByText(`Sending as ${email}`)).toBeVisible();
    await expect(visitor.getByTestId('unfinished-uploads')).toBeVisible();
    // Choosing the same files again continues the upload.
    await chooseFiles(visitor, files);
    await expectDelivered(visitor, 2);
    await expect(visitor.getByTestId('delivered')).toContainText('can open them.');
    expect(leaks).toEqual([]);
    expect(await listKeys(visitor)).toEqual([]);

    const [received] = await member.client.call(listTransfers, { query: { origin: 'received' } });
    expect([received?.title, received?.receivedKey?.invitationId]).toEqual([null, invitation!.id]);
    await dialog.getByRole('button', { name: 'Close' }).press('Enter');
    await owner.goto('/dashboard?origin=received');
    const card = owner.getByRole('article', { name: invitation!.title, exact: true });
    await card.getByRole('link', { name: 'View Details' }).click();
    await expect(owner.getByText('Canary message')).toBeVisible();
    await expect(owner.getByText('canary-film.bin')).toBeVisible();
    await owner.context().addInitScript(PICK_PRIVATE_PLACES);
    const opening = owner.context().waitForEvent('page');
    await owner.getByRole('link', { name: 'Open', exact: true }).click();
    const opened = await opening;
    await expect(opened.getByRole('heading', { name: 'Transfer Information' })).toBeVisible();
    expect(new URL(opened.url()).hash).toMatch(/^#1\.[\w-]{43}$/);
    await saveAll(opened);
    await expect(opened.getByText(/^Saved 2 files in the folder/)).toBeVisible({ timeout: 60_000 });
    expect(await hashPrivateFiles(opened)).toEqual({
      [`${invitation!.title}/canary-film.bin`]: sha256(FILM),
      [`${invitation!.title}/canary-note.txt`]: sha256(NOTE),
    });
  },
);

/** What the page sends, apart from chunks, whose bytes `encryption-canary.test.ts` checks as they are stored. */
function watchForCanaries(page: Page): string[] {
  const found: string[] = [];
  page.on('request', (request: Request) => {
    const sent = [request.url(), JSON.stringify(request.headers()), request.postData() ?? ''].join('\n');
    if (CANARY.test(decodeURIComponent(sent.replaceAll('%', '%25')))) found.push(request.url());
  });
  return found;
}

/** The keys that the browser has kept. */
function listKeys(page: Page): Promise<string[]> {
  return page.evaluate(`new Promise((resolve) => {
    const opening = indexedDB.open('sendwell-key-ring');
    opening.onsuccess = () => {
      const reading = opening.result.transaction('keys').objectStore('keys').getAllKeys();
      reading.onsuccess = () => resolve(reading.result);
    };
  })`);
}
