import type { Page } from '@playwright/test';
import { getTransfer } from '../../contracts/transfers/transfers.ts';
import {
  deleteInvitation,
  type Invitation,
  listArrivals,
  listInvitations,
  toggleInvitation,
} from '../../contracts/transfers/uploads/invitations.ts';
import { fileDownloadPath } from '../../contracts/values/addresses/links.ts';
import { MIB } from '../../contracts/values/sizes.ts';
import { makeBytes } from '../../testing/uploads/upload-files.ts';
import { expectAccessible } from '../actions/accessibility.ts';
import { ChunkWatch, holdHalfway, setLine, stopHalfway } from '../actions/chunk-watch.ts';
import { expect, test } from '../actions/fixtures.ts';
import {
  codeField,
  expectDelivered,
  findVisitorCode,
  inventAddress,
  inviteGuests,
  openAndVerify,
  uploadButton,
} from '../actions/invitations.ts';
import { type Member, signIn } from '../actions/people.ts';
import { sha256, writeFile, writeFiles } from '../actions/sample-files.ts';
import { chooseFiles, dropFiles, expectToast } from '../actions/uploads.ts';
import type { JourneyServer } from '../servers/journey-server.ts';

test.describe.configure({ timeout: 120_000 });

const CLOSED = 'This invitation link is invalid, expired, or has been disabled.';
/** More chunks than can be acknowledged or in flight when the upload is interrupted. */
const FILM = makeBytes(40 * MIB - 1, 'film');

type Begun = { page: Page; invitation: Invitation; email: string; watch: ChunkWatch };

test('a visitor’s upload interrupted by a reload resumes without another code and sends no chunk twice', async ({
  server,
  member: prem,
  visitorPage: page,
}, testInfo) => {
  const cinema = `${writeFiles(testInfo, { 'cinema/film.bin': FILM, 'cinema/a.txt': 'A' })}/cinema`;
  const { invitation, email, watch } = await beginUpload({ page, server, prem }, () =>
    dropFiles(page, [cinema]),
  );
  page.on('dialog', (dialog) => void dialog.accept());
  await page.reload();
  await expect(page.getByRole('heading', { name: 'Your files' })).toBeVisible();
  await expect(page.getByText(`Sending as ${email}`)).toBeVisible();
  await expect(page.getByTestId('unfinished-uploads')).toContainText(/ MB of 40 MB uploaded/);
  await setLine(page, 'normal');
  const acknowledged = new Set(watch.acknowledged);
  const after = new ChunkWatch(page);
  await page.getByRole('button', { name: 'Continue film.bin + 1' }).click();
  await expectDelivered(page, 2);
  expect(after.sent.length, 'something was left to send').toBeGreaterThan(0);
  expect(after.sent.filter((chunk) => acknowledged.has(chunk))).toEqual([]);
  await expectFilm(prem, invitation);
});

test(
  'a visitor’s upload waits while offline and resumes automatically',
  { tag: '@all' },
  async ({ server, member: prem, visitorPage: page }, testInfo) => {
    const { invitation } = await beginUpload({ page, server, prem }, () =>
      chooseFiles(page, writeFile(testInfo, 'film.bin', FILM)),
    );
    await setLine(page, 'away');
    await expect(page.getByRole('heading', { name: 'Waiting for the network…' })).toBeVisible();
    await setLine(page, 'normal');
    await expectDelivered(page, 1);
    await expectFilm(prem, invitation);
  },
);

test(
  'a visitor whose verification expires verifies the address again and the upload continues',
  { tag: '@all' },
  async ({ server, member: prem, visitorPage: page }, testInfo) => {
    const { invitation, email, watch, release } = await holdUpload({ page, server, prem }, () =>
      chooseFiles(page, writeFile(testInfo, 'film.bin', FILM)),
    );
    const acknowledged = new Set(watch.acknowledged);
    await page.context().clearCookies();
    release();
    const again = page.getByRole('heading', { name: 'Please verify your address again' });
    await expect(again).toBeFocused();
    await expect(page.getByTestId('upload-progress')).toContainText(email);
    await expectAccessible(page, 'asked again');
    await page.setViewportSize({ width: 1280, height: 800 });
    const before = await findVisitorCode(server, email);
    await page.getByRole('button', { name: 'Send Verification Code' }).click();
    const sentBefore = watch.sent.length;
    await expect(codeField(page)).toBeFocused();
    await codeField(page).fill(await findVisitorCode(server, email, before));
    await expectDelivered(page, 1);
    expect(watch.sent.length).toBeGreaterThan(sentBefore);
    expect(watch.sent.slice(sentBefore).filter((chunk) => acknowledged.has(chunk))).toEqual([]);
    await expectFilm(prem, invitation);
  },
);

test(
  'closing an invitation stops running uploads, and the page says so',
  { tag: '@all' },
  async ({ server, member: prem, visitorPage: page }, testInfo) => {
    const path = writeFile(testInfo, 'film.bin', FILM);
    const closings = [
      ({ id }: Invitation) =>
        prem.client.call(toggleInvitation, { params: { id }, body: { isActive: false } }),
      ({ id }: Invitation) => prem.client.call(deleteInvitation, { params: { id } }),
    ];
    for (const close of closings) {
      const { invitation, release } = await holdUpload({ page, server, prem }, () => chooseFiles(page, path));
      await close(invitation);
      release();
      await expectToast(page, 'Upload failed', CLOSED);
      await expect(page.getByRole('heading', { name: 'Invitation Not Found' })).toBeVisible();
      await expect(page.getByRole('main').getByText(CLOSED, { exact: true })).toBeVisible();
      await page.unrouteAll({ behavior: 'ignoreErrors' });
    }
  },
);

test(
  'canceled and discarded uploads free the invitation’s space',
  { tag: '@all' },
  async ({ server, member: prem, visitorPage: page }, testInfo) => {
    const path = writeFile(testInfo, 'film.bin', FILM);
    const { invitation, email } = await beginUpload({ page, server, prem }, () => chooseFiles(page, path));
    expect(await usedFiles(prem, invitation)).toBe(1);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Cancel upload' }).click();
    // Not earlier, because the upload would then complete.
    await setLine(page, 'normal');
    await expectToast(page, 'Upload cancelled', 'The uploaded data was deleted.');
    await expect.poll(() => usedFiles(prem, invitation)).toBe(0);

    await chooseFiles(page, path);
    await stopHalfway(page, new ChunkWatch(page), () => uploadButton(page).click());
    page.on('dialog', (dialog) => void dialog.accept());
    await page.reload();
    await setLine(page, 'normal');
    await expect(page.getByText(`Sending as ${email}`)).toBeVisible();
    await page.getByRole('button', { name: 'Discard film.bin' }).click();
    await page.getByRole('button', { name: 'Discard upload' }).click();
    await expect(page.getByTestId('unfinished-uploads')).toHaveCount(0);
    await expect.poll(() => usedFiles(prem, invitation)).toBe(0);
  },
);

test(
  'two concurrent visitors share the total and see neither each other’s nor the owner’s uploads',
  { tag: '@all' },
  async ({ browser, server, member: prem, memberPage: owner, visitorPage: vera }, testInfo) => {
    const invitation = await inviteGuests(prem, { totalFilesLimit: 3 });
    const folder = writeFiles(testInfo, { 'film.bin': FILM, 'a.txt': 'A', 'b.txt': 'B' });
    const context = await browser.newContext({ baseURL: server.url });
    await signIn(context, prem);
    const bob = await context.newPage();

    // The owner's own unfinished upload must not appear to visitors, even in the same browser.
    await owner.goto('/dashboard/upload');
    await chooseFiles(owner, `${folder}/film.bin`);
    await holdHalfway(owner, new ChunkWatch(owner), () =>
      owner.getByRole('button', { name: 'Upload', exact: true }).click(),
    );
    await openAndVerify(vera, server, { token: invitation.token, email: inventAddress() });
    await openAndVerify(bob, server, { token: invitation.token, email: inventAddress('bob') });
    await expect(bob.getByTestId('unfinished-uploads')).toHaveCount(0);
    for (const page of [vera, bob]) await chooseFiles(page, [`${folder}/a.txt`, `${folder}/b.txt`]);
    await uploadButton(vera).click();
    await expectDelivered(vera, 2);
    await uploadButton(bob).click();
    await expectToast(bob, 'Upload failed', 'Files left in this invitation for all visitors: 1 of 3');
    await bob.getByRole('button', { name: 'Remove a.txt' }).click();
    await bob.getByTestId('upload-progress').getByRole('button', { name: 'Try again' }).click();
    await expectDelivered(bob, 1);
    const arrivals = await prem.client.call(listArrivals, { params: { id: invitation.id } });
    expect(arrivals.map(({ fileCount }) => fileCount).sort()).toEqual([1, 2]);

    await bob.goto('/dashboard/upload');
    await expect(bob.getByTestId('unfinished-uploads')).toContainText('film.bin');
    await context.close();
  },
);

test('another visitor in the same browser verifies their own address', { tag: '@all' }, async ({
  server,
  member: prem,
  visitorPage: page,
}) => {
  const { token } = await inviteGuests(prem);
  const email = inventAddress();
  await openAndVerify(page, server, { token, email });
  await page.reload();
  await expect(page.getByText(`Sending as ${email}`)).toBeVisible();
  await page.getByRole('button', { name: 'Not you?' }).click();
  await expect(page.getByLabel('Email address')).toHaveValue('');
  await expect(page.getByLabel('Email address')).toBeFocused();
});

type Cast = { page: Page; server: JourneyServer; prem: Member };

/** A verified visitor with selected files. */
async function choose({ page, server, prem }: Cast, pick: () => Promise<void>): Promise<Begun> {
  const invitation = await inviteGuests(prem);
  const email = inventAddress();
  const watch = new ChunkWatch(page);
  await openAndVerify(page, server, { token: invitation.token, email });
  await pick();
  await expect(page.getByTestId('total-size')).toBeVisible();
  return { page, invitation, email, watch };
}

/** The first chunks are stored; the others are sent too slowly to arrive. */
async function beginUpload(cast: Cast, pick: () => Promise<void>): Promise<Begun> {
  const begun = await choose(cast, pick);
  await stopHalfway(cast.page, begun.watch, () => uploadButton(cast.page).click());
  return begun;
}

/** The first chunks are stored; the others are held back. */
async function holdUpload(cast: Cast, pick: () => Promise<void>): Promise<Begun & { release(): void }> {
  const begun = await choose(cast, pick);
  const { release } = await holdHalfway(cast.page, begun.watch, () => uploadButton(cast.page).click());
  return { ...begun, release };
}

async function usedFiles({ client }: Member, { id }: Invitation): Promise<number | undefined> {
  const invitations = await client.call(listInvitations);
  return invitations.find((each) => each.id === id)?.usedFiles;
}

/** The owner received the file unchanged. */
async function expectFilm({ client }: Member, { id }: Invitation): Promise<void> {
  const [arrival] = await client.call(listArrivals, { params: { id } });
  const { token, files } = await client.call(getTransfer, { params: { id: arrival!.transferId } });
  const film = files.find(({ originalName }) => originalName === 'film.bin');
  const answer = await client.fetch(fileDownloadPath(token, film!.id));
  expect(sha256(Buffer.from(await answer.arrayBuffer()))).toBe(sha256(FILM));
}
