import { MIB } from '../../contracts/values/sizes.ts';
import { makeBytes } from '../../testing/uploads/upload-files.ts';
import { ChunkWatch, holdHalfway } from '../actions/chunk-watch.ts';
import { expect, test } from '../actions/fixtures.ts';
import { writeFile } from '../actions/sample-files.ts';
import { chooseFiles, sendWhenSubmitted, startUpload, waitForLink } from '../actions/uploads.ts';

// Sends when Upload is pressed; ahead.spec.ts covers sending as soon as files are added.
test.beforeEach(sendWhenSubmitted);

test.describe.configure({ timeout: 120_000 });

/** More chunks than can be acknowledged or in flight when the window closes. */
const FILM = makeBytes(40 * MIB - 1, 'film');

test(
  'a second window leaves an upload of the first alone and notices when it ends',
  { tag: '@all' },
  async ({ memberPage: first, context }, testInfo) => {
    const path = writeFile(testInfo, 'film.bin', FILM);
    await first.goto('/dashboard/upload');
    await chooseFiles(first, path);
    const held = await holdHalfway(first, new ChunkWatch(first), () => startUpload(first));

    const second = await context.newPage();
    await second.goto('/dashboard/upload');
    const unfinished = second.getByTestId('unfinished-uploads');
    await expect(unfinished).toContainText('Uploading in another window');
    await expect(unfinished.getByRole('button')).toHaveCount(0);
    await chooseFiles(second, path);
    await expect(second.getByTestId('resume-notice')).toHaveCount(0);
    await expect(second.getByRole('button', { name: 'Upload', exact: true })).toBeVisible();
    await second.getByRole('button', { name: 'Remove film.bin' }).click();
    await expect(unfinished).toContainText('Uploading in another window');

    held.release();
    await waitForLink(first);
    await expect(unfinished).toHaveCount(0);
  },
);

test(
  'an upload of a closed window continues in the other one',
  { tag: '@all' },
  async ({ memberPage: first, context }, testInfo) => {
    const path = writeFile(testInfo, 'film.bin', FILM);
    await first.goto('/dashboard/upload');
    await chooseFiles(first, path);
    const watch = new ChunkWatch(first);
    await holdHalfway(first, watch, () => startUpload(first));

    const second = await context.newPage();
    await second.goto('/dashboard/upload');
    const unfinished = second.getByTestId('unfinished-uploads');
    await expect(unfinished).toContainText('Uploading in another window');
    await first.close();
    await expect(unfinished).toContainText('Choose the same files again to continue.');

    const acknowledged = new Set(watch.acknowledged);
    const after = new ChunkWatch(second);
    await chooseFiles(second, path);
    await waitForLink(second);
    expect(after.sent.length).toBeGreaterThan(0);
    expect(after.sent.filter((chunk) => acknowledged.has(chunk))).toEqual([]);
  },
);
