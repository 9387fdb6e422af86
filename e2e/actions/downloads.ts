import type { Download, Locator, Page } from '@playwright/test';
import { getTransfer } from '../../contracts/transfers/transfers.ts';
import { type NamedBytes, type SentTransfer, sendTransfer } from '../../testing/uploads/send-transfer.ts';
import { expect } from './fixtures.ts';
import type { Member } from './people.ts';
import { makePicture } from './sample-files.ts';

/** The row of a file or folder on the download page. */
export function row(page: Page, name: string): Locator {
  return page.getByRole('listitem').filter({ hasText: name });
}

export function tick(page: Page, name: string): Locator {
  return page.getByRole('checkbox', { name: `Select ${name}` });
}

export function selectAll(page: Page): Locator {
  return page.getByRole('checkbox', { name: 'Select all' });
}

/** 'Download 3 files (2 MB)'. */
export function chosenButton(page: Page): Locator {
  return page.getByRole('button', { name: /^Download [\d,]+ files? \(/ });
}

/** Returns the download that the action starts. */
export async function downloadAfter(page: Page, act: () => Promise<void>): Promise<Download> {
  const [download] = await Promise.all([page.waitForEvent('download'), act()]);
  return download;
}

/** Four pictures of different size and type. */
export async function sendPictures(member: Member): Promise<SentTransfer> {
  return sendAndLook(member, [
    { fileName: 'coast.jpg', bytes: await makePicture('jpeg', [1600, 1000], 200) },
    { fileName: 'forest.png', bytes: await makePicture('png', [700, 1000], 120) },
    { fileName: 'harbour.jpg', bytes: await makePicture('jpeg', [1800, 1200], 30) },
    { fileName: 'meadow.webp', bytes: await makePicture('webp', [900, 900], 80) },
  ]);
}

/** Sends files and waits until the server has analyzed them, which fails for broken.jpg. */
export async function sendAndLook({ client }: Member, files: NamedBytes[]): Promise<SentTransfer> {
  const sent = await sendTransfer(client, files, { title: 'Pictures' });
  const wanted = files.filter(({ fileName }) => fileName !== 'broken.jpg').length;
  const countLookedAt = async () => {
    const transfer = await client.call(getTransfer, { params: { id: sent.id } });
    return transfer.files.filter(({ preview }) => preview !== null).length;
  };
  await expect.poll(countLookedAt, { timeout: 45_000 }).toBe(wanted);
  return sent;
}

/** Opens the download page of these files once they are analyzed. */
export async function openFiles(page: Page, member: Member, files: NamedBytes[]): Promise<void> {
  const { token } = await sendAndLook(member, files);
  await page.goto(`/download/${token}`);
}

/** The picture of this name is shown, and no other. */
export async function expectShown(page: Page, name: string): Promise<void> {
  await expect(page.getByRole('dialog', { name })).toBeVisible();
  const picture = page.getByTestId('lightbox-picture').getByRole('img', { name });
  await expect(picture).toBeVisible();
  await expect
    .poll(() => picture.evaluate((image: { naturalWidth: number }) => image.naturalWidth))
    .toBeGreaterThan(0);
}

type Way = { from: [number, number]; to: [number, number] };

/** Simulates touches through the browser's debugging protocol. */
export async function touchOn(page: Page) {
  const session = await page.context().newCDPSession(page);
  const send = (type: 'touchStart' | 'touchMove' | 'touchEnd', places: [number, number][]) =>
    session.send('Input.dispatchTouchEvent', {
      type,
      touchPoints: places.map(([x, y], id) => ({ x, y, id })),
    });
  return {
    /** All fingers touch, move in a few steps, and lift. */
    move: async (ways: Way[]) => {
      const steps = 5;
      await send(
        'touchStart',
        ways.map(({ from }) => from),
      );
      for (let step = 1; step <= steps; step += 1) {
        const at = ({ from, to }: Way, axis: 0 | 1) => from[axis] + ((to[axis] - from[axis]) * step) / steps;
        await send(
          'touchMove',
          ways.map((way) => [at(way, 0), at(way, 1)]),
        );
      }
      await send('touchEnd', []);
    },
  };
}
