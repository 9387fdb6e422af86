import { openFiles, sendAndLook } from '../actions/downloads.ts';
import { expect, test } from '../actions/fixtures.ts';
import { makePicture, makeSound, makeVideo } from '../actions/sample-files.ts';

test.use({ tier: 'pro' });

test('a video plays, and seeking requests the bytes from there', { tag: '@all' }, async ({
  member,
  visitorPage: page,
}) => {
  const bytes = await makeVideo(8, 700_000);
  const { token } = await sendAndLook(member, [{ fileName: 'walk.webm', bytes }]);
  const ranges: { status: number; from: number }[] = [];
  page.on('response', (response) => {
    if (!response.url().includes('/preview/')) return;
    const from = Number(/bytes=(\d+)-/.exec(response.request().headers().range ?? '')?.[1]);
    ranges.push({ status: response.status(), from });
  });
  await page.goto(`/download/${token}`);
  await page.getByRole('button', { name: 'Preview walk.webm' }).click();
  const video = page.locator('video');
  await expect.poll(() => video.evaluate((element: { duration: number }) => element.duration)).toBe(8);
  await video.evaluate((element: { currentTime: number }) => {
    element.currentTime = 6.5;
  });
  await expect
    .poll(() =>
      video.evaluate((element: { seeking: boolean; readyState: number; currentTime: number }) =>
        element.seeking || element.readyState < 2 ? -1 : element.currentTime,
      ),
    )
    .toBe(6.5);
  expect(ranges.every(({ status }) => status === 206)).toBe(true);
  expect(ranges.some(({ from }) => from > bytes.length / 4)).toBe(true);
  // The focused player uses the arrow keys itself.
  await video.focus();
  await page.keyboard.press('ArrowLeft');
  await expect(page.getByRole('dialog', { name: 'walk.webm' })).toBeVisible();
});

test('audio plays and long text is shown, each only as what it is', { tag: '@all' }, async ({
  member,
  visitorPage: page,
}) => {
  const line = 'A line <b>with signs</b> & more\n';
  await openFiles(page, member, [
    { fileName: 'tone.wav', bytes: makeSound(2) },
    { fileName: 'story.txt', bytes: Buffer.from(line.repeat(20_000)) },
  ]);
  await page.getByRole('button', { name: 'Preview tone.wav' }).click();
  const audio = page.locator('audio');
  await expect.poll(() => audio.evaluate((element: { duration: number }) => element.duration)).toBe(2);
  await page.keyboard.press('Escape');

  await page.getByRole('button', { name: 'Preview story.txt' }).click();
  const text = page.getByRole('region', { name: 'story.txt' });
  await expect(text).toContainText('A line <b>with signs</b> & more');
  await expect(page.getByText('Cut at 512 KB. Download the file to read all of it.')).toBeVisible();
  expect((await text.textContent())!.length).toBe(512 * 1024);
  const wrap = page.getByRole('button', { name: 'Wrap lines' });
  await expect(wrap).toHaveAttribute('aria-pressed', 'true');
  await wrap.click();
  await expect(wrap).toHaveAttribute('aria-pressed', 'false');
  await expect(text.locator('pre')).toHaveCSS('white-space', 'pre');
});

test('a file that only claims to be a picture is never rendered or executed', { tag: '@all' }, async ({
  member,
  visitorPage: page,
}) => {
  const script = '<script>window.top.hacked = true</script>';
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" onload="window.top.hacked = true">${script}</svg>`;
  await openFiles(page, member, [
    { fileName: 'drawing.png', bytes: Buffer.from(svg) },
    { fileName: 'page.jpg', bytes: Buffer.from(`<!doctype html><body>${script}`) },
    { fileName: 'broken.jpg', bytes: (await makePicture('jpeg', [600, 400], 10)).subarray(0, 200) },
    { fileName: 'real.jpg', bytes: await makePicture('jpeg', [600, 400], 90) },
  ]);
  await expect(page.getByRole('button', { name: 'Preview real.jpg' })).toBeVisible();
  // A broken picture can only be downloaded.
  await expect(page.getByRole('button', { name: 'Preview broken.jpg' })).toHaveCount(0);
  await expect(page.getByRole('link', { name: 'broken.jpg' })).toBeVisible();
  // These must be shown as plain text.
  for (const [name, content] of [
    ['drawing.png', svg],
    ['page.jpg', script],
  ] as const) {
    await page.getByRole('button', { name: `Preview ${name}` }).click();
    await expect(page.getByRole('region', { name })).toContainText(content);
    await expect(page.getByRole('dialog').locator('svg[onload], script, iframe, object')).toHaveCount(0);
    await page.keyboard.press('Escape');
  }
  expect(await page.evaluate('window.hacked')).toBeUndefined();
});
