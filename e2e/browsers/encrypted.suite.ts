import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { getTransfer } from '../../contracts/transfers/transfers.ts';
import { GIB, MIB } from '../../contracts/values/sizes.ts';
import { makeLargeContent, sendEncryptedTransfer } from '../../testing/uploads/encrypted-transfers.ts';
import { createMember } from '../actions/people.ts';
import { listFiles, unzip } from '../actions/sample-files.ts';
import type { BrowserPage } from './browser-page.ts';
import type { BrowserWorld } from './browser-world.ts';

type Journey = (name: string, act: (page: BrowserPage) => Promise<void>) => void;

/** With ENCRYPTED_GIB=5 the film has 5 GiB. */
const FILM_BYTES = Number(process.env.ENCRYPTED_GIB ?? 0) * GIB || 40 * MIB + 1;
/** WebKitGTK has no `navigator.storage`. */
const NO_ROOM =
  'Object.assign(navigator.storage ?? {}, { estimate: async () => ({ quota: 0, usage: 0 }) }) && true';

/** Saving what the page decrypts. `canStage`: the browser has a private file system (WebKitGTK has none). */
export function describeEncryptedSaves(
  journey: Journey,
  getWorld: () => BrowserWorld,
  { canStage }: { canStage: boolean },
): void {
  const saveFilm = (name: string, prepare: (page: BrowserPage) => Promise<unknown>) =>
    journey(`a recipient saves an encrypted film, ${name}`, async (page) => {
      const { link, member, id, files } = await sendFilm();
      await page.open(getWorld().addressOf(link));
      await page.waitFor({ role: 'heading', name: 'Transfer Information' });
      await prepare(page);
      await page.click({ role: 'button', name: /^Save 写真 film\.bin/ });
      await page.waitForText('Saved “写真 film.bin”.');
      const saved = await page.waitForDownload('写真 film.bin');
      assert.equal(await hashFile(saved), files[0]!.sha256);
      const { downloadCount } = await member.client.call(getTransfer, { params: { id } });
      assert.equal(downloadCount, 1);
    });

  const sendFilm = async () => {
    const member = await createMember(getWorld().server, 'premium');
    const film = makeLargeContent(FILM_BYTES, 'film');
    const files = [
      { path: 'Film/写真 film.bin', bytes: film },
      { path: 'empty.txt', bytes: Buffer.alloc(0) },
    ];
    return { member, ...(await sendEncryptedTransfer(member.client, files, { title: 'Rushes' })) };
  };

  if (canStage) saveFilm('staged on disk', async () => undefined);
  saveFilm('streamed by the service worker', (page) => page.run(NO_ROOM));

  journey('a recipient saves an encrypted folder as a zip', async (page) => {
    const { link, files } = await sendFilm();
    await page.open(getWorld().addressOf(link));
    await page.click({ role: 'button', name: /^Save All Files/ });
    const zip = await page.waitForDownload('Rushes.zip');
    await page.waitForText('Saved “Rushes.zip”.');
    const unpacked = unzip(zip, getWorld().folderFor('decrypted'));
    assert.deepEqual(listFiles(unpacked), files.map(({ path }) => path).sort());
    for (const { path, sha256 } of files) assert.equal(await hashFile(join(unpacked, path)), sha256, path);
  });
}

async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const bytes of createReadStream(path)) hash.update(bytes as Buffer);
  return hash.digest('hex');
}
