import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { describe, type TestContext } from 'node:test';
import sharp from 'sharp';
import { MIB } from '../../../contracts/sizes.ts';
import {
  makeEndlessPdf,
  makeHostileFiles,
  makeOddFiles,
  makePdf,
  makePicture,
} from '../../testing/hostile-files.ts';
import { until } from '../../testing/until.ts';
import { PictureError } from './picture-error.ts';
import { openRenderer, type Renderer, type RendererOptions } from './renderer.ts';

const BOXES = [
  { width: 480, height: 480 },
  { width: 2048, height: 2048 },
];

async function start(t: TestContext, options: Partial<RendererOptions> = {}) {
  const folder = join(await mkdtemp(join(tmpdir(), 'sendwell-images-')), 'rendering');
  const renderer = await openRenderer({ folder, ...options });
  t.after(async () => {
    await renderer.close();
    await rm(join(folder, '..'), { recursive: true });
  });
  return { folder, renderer };
}

function render(renderer: Renderer, bytes: Buffer, signal?: AbortSignal) {
  const blocks = (async function* () {
    for (let next = 0; next < bytes.length; next += 64 * 1024) yield bytes.subarray(next, next + 64 * 1024);
  })();
  return renderer.render({ bytes: blocks, kinds: ['image', 'pdf', 'video'], boxes: BOXES, signal });
}

const isFault = (fault: string) => (error: unknown) => error instanceof PictureError && error.fault === fault;

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** A program in the place of ours. */
async function writeScript(t: TestContext, code: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'sendwell-script-'));
  t.after(() => rm(folder, { recursive: true }));
  const script = join(folder, 'script.mjs');
  await writeFile(script, code);
  return script;
}

const WATCHED = `
  import { Worker } from 'node:worker_threads';
  new Worker(new URL('file://${join(import.meta.dirname, 'child/watchdog.ts')}'), {
    workerData: JSON.parse(process.argv[2]),
  });
`;

describe('pictures', () => {
  for (const format of ['jpeg', 'png', 'webp', 'gif', 'avif'] as const) {
    test(`of a ${format} are WebP in the sizes asked for`, async (t) => {
      const { renderer } = await start(t);
      const [small, large] = await render(renderer, await makePicture(format, { width: 3000, height: 1000 }));
      assert.deepEqual([small!.width, small!.height], [480, 160]);
      assert.deepEqual([large!.width, large!.height], [2048, 683]);
      assert.equal((await sharp(small!.bytes).metadata()).format, 'webp');
    });
  }

  test('are never larger than the original', async (t) => {
    const { renderer } = await start(t);
    const pictures = await render(renderer, await makePicture('png', { width: 30, height: 20 }));
    assert.deepEqual(
      pictures.map(({ width, height }) => [width, height]),
      [
        [30, 20],
        [30, 20],
      ],
    );
  });

  test('stand upright and keep nothing that was noted in the original', async (t) => {
    const { renderer } = await start(t);
    const original = await sharp(await makePicture('jpeg', { width: 600, height: 200 }))
      .withExif({ IFD0: { Copyright: 'somebody', Make: 'a camera' }, IFD3: { GPSLatitude: '51/1 30/1 0/1' } })
      .withMetadata({ orientation: 6 })
      .toBuffer();
    const [small] = await render(renderer, original);
    assert.deepEqual([small!.width, small!.height], [160, 480]);
    const { exif, icc, xmp, orientation } = await sharp(small!.bytes).metadata();
    assert.deepEqual(
      { exif, icc, xmp, orientation },
      { exif: undefined, icc: undefined, xmp: undefined, orientation: undefined },
    );
  });

  test('of a document show its first page', async (t) => {
    const { renderer } = await start(t);
    const [small, large] = await render(renderer, makePdf());
    assert.deepEqual([small!.width, small!.height], [480, 320]);
    assert.deepEqual([large!.width, large!.height], [2048, 1365]);
    const { channels } = await sharp(large!.bytes).stats();
    assert.equal(channels[0]!.max, 255, 'a white page');
    assert.equal(channels[0]!.min, 0, 'with black letters');
  });

  test('of a kind that was not asked for are not made', async (t) => {
    const { renderer } = await start(t);
    const bytes = (async function* () {
      yield makePdf();
    })();
    const rendering = renderer.render({ bytes, kinds: ['image'], boxes: BOXES });
    await assert.rejects(rendering, isFault('unsupported'));
  });
});

describe('films', () => {
  const film = Buffer.from('\0\0\0\x18ftypisom\0\0\0\0isommp42 and so on');

  /** In the place of ffmpeg: what it was called with goes to a file, the frame comes from another. */
  async function writeFfmpeg(t: TestContext, code: string): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'sendwell-ffmpeg-'));
    t.after(() => rm(folder, { recursive: true }));
    await writeFile(join(folder, 'frame.png'), await makePicture('png', { width: 1280, height: 720 }));
    const script = join(folder, 'ffmpeg');
    await writeFile(script, `#!/bin/sh\ncd ${folder}\n${code}\n`, { mode: 0o755 });
    return script;
  }

  test('are pictured by a frame that the system’s ffmpeg finds, which reads nothing but the file', async (t) => {
    const ffmpeg = await writeFfmpeg(
      t,
      'echo "$@" > called; for last; do :; done; cat frame.png > $(echo $last | cut -c6-)',
    );
    const { folder, renderer } = await start(t, { ffmpeg });
    const [small, large] = await render(renderer, film);
    assert.deepEqual([small!.width, small!.height, large!.width, large!.height], [480, 270, 1280, 720]);
    const called = await readFile(join(ffmpeg, '../called'), 'utf8');
    assert.match(called, /-protocol_whitelist file .*-i file:\S+\/file /);
    assert.deepEqual(await readdir(folder), []);
  });

  test('have no picture when it finds none, or does something else', async (t) => {
    for (const code of [
      'exit 1',
      'exit 0',
      'for last; do :; done; echo no picture > $(echo $last | cut -c6-)',
    ]) {
      const { renderer } = await start(t, { ffmpeg: await writeFfmpeg(t, code) });
      await assert.rejects(render(renderer, film), isFault('refused'), code);
    }
  });
});

test('hostile files are refused one by one, and the next honest one is rendered', async (t) => {
  const { folder, renderer } = await start(t);
  const before = process.memoryUsage.rss();
  for (const { name, bytes } of await makeHostileFiles()) {
    await assert.rejects(render(renderer, bytes), PictureError, name);
    assert.deepEqual(await readdir(folder), [], `${name} left something behind`);
  }
  for (const { name, bytes } of await makeOddFiles()) {
    const [small] = await render(renderer, bytes);
    assert.ok(small!.width <= 480 && small!.height <= 480, name);
  }
  assert.equal((await render(renderer, await makePicture('png'))).length, 2);
  assert.ok(process.memoryUsage.rss() - before < 400 * MIB, 'what was decoded was not decoded here');
});

test('a page that draws for ever ends by the clock or by its memory', async (t) => {
  const { renderer } = await start(t, { timeoutMs: 4_000 });
  await assert.rejects(render(renderer, makeEndlessPdf()), PictureError);
  assert.equal((await render(renderer, await makePicture('png'))).length, 2);
});

describe('the process that renders', () => {
  test('is killed when it hangs, and another takes its place', async (t) => {
    const script = await writeScript(t, `process.on('message', () => { for (;;); });`);
    const { folder, renderer } = await start(t, { script, timeoutMs: 1_000 });
    const picture = await makePicture('png');
    const rendering = render(renderer, picture);
    await until(async () => renderer.pid !== undefined);
    const pid = renderer.pid!;
    await assert.rejects(rendering, { fault: 'killed', message: 'it took too long' });
    assert.equal(isAlive(pid), false);
    const another = render(renderer, picture);
    await until(async () => renderer.pid !== undefined);
    assert.notEqual(renderer.pid, pid);
    await assert.rejects(another, isFault('killed'));
    assert.deepEqual(await readdir(folder), []);
  });

  test('is killed when it outgrows its memory', async (t) => {
    const hoard = `${WATCHED} const all = []; process.on('message', () => setInterval(() => all.push(Buffer.alloc(1e6, 1)), 1));`;
    const script = await writeScript(t, hoard);
    const { renderer } = await start(t, { script, timeoutMs: 60_000, maxRssBytes: 300 * MIB });
    const rendering = render(renderer, await makePicture('png'));
    await assert.rejects(rendering, { fault: 'killed', message: /process ended/ });
  });

  test('is replaced after fifty pictures', async (t) => {
    const { renderer } = await start(t);
    const picture = await makePicture('png', { width: 10, height: 10 });
    const pids = new Set<number>();
    for (let index = 0; index < 51; index += 1) {
      await render(renderer, picture);
      pids.add(renderer.pid!);
    }
    assert.equal(pids.size, 2);
  });

  test('ends when the renderer is closed, also in the middle of its work', async (t) => {
    const script = await writeScript(t, `process.on('message', () => { for (;;); });`);
    const { folder, renderer } = await start(t, { script });
    const rendering = assert.rejects(render(renderer, await makePicture('png')));
    await until(async () => renderer.pid !== undefined);
    const pid = renderer.pid!;
    await renderer.close();
    await rendering;
    assert.equal(isAlive(pid), false);
    await assert.rejects(readdir(folder), { code: 'ENOENT' });
  });

  test('is killed when nobody wants the picture any more', async (t) => {
    const script = await writeScript(t, `process.on('message', () => { for (;;); });`);
    const { renderer } = await start(t, { script });
    const giveUp = new AbortController();
    const rendering = render(renderer, await makePicture('png'), giveUp.signal);
    await until(async () => renderer.pid !== undefined);
    const pid = renderer.pid!;
    giveUp.abort(new Error('never mind'));
    await assert.rejects(rendering, { message: 'never mind' });
    assert.equal(isAlive(pid), false);
  });

  test('does not outlive a server that is killed, whatever keeps it busy', async (t) => {
    const script = await writeScript(t, `${WATCHED} process.on('message', () => { for (;;); });`);
    const { folder } = await start(t);
    const server = await writeScript(
      t,
      `import { openRenderer } from '${join(import.meta.dirname, 'renderer.ts')}';
       const renderer = await openRenderer({ folder: '${join(folder, 'inner')}', script: '${script}' });
       async function* bytes() { yield Buffer.from('GIF89a and more'); }
       void renderer.render({ bytes: bytes(), kinds: ['image'], boxes: [{ width: 9, height: 9 }] });
       setInterval(() => renderer.pid && process.stdout.write(renderer.pid + ' '), 10);`,
    );
    const parent = spawn(process.execPath, [server], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [output] = (await once(parent.stdout, 'data')) as [Buffer];
    const pid = Number.parseInt(output.toString(), 10);
    assert.ok(isAlive(pid));
    parent.kill('SIGKILL');
    await until(async () => !isAlive(pid));
  });

  test('has nothing of the environment and no right to other files and programs', async (t) => {
    const spy = `
      import { readFileSync, writeFileSync } from 'node:fs';
      import { spawnSync } from 'node:child_process';
      const refused = (run) => { try { run(); return false; } catch (error) { return error.code === 'ERR_ACCESS_DENIED'; } };
      process.on('message', ({ input }) => {
        const facts = [
          !Object.keys(process.env).some((name) => /SECRET|PASSWORD|URL|HOME/.test(name)),
          refused(() => readFileSync('/etc/passwd')),
          refused(() => writeFileSync('/tmp/sendwell-spy', '')),
          refused(() => spawnSync('/bin/true')),
          readFileSync(input).length > 0,
        ];
        process.send({ refusal: facts.join() });
      });`;
    process.env.SPIED_SECRET = 'shh';
    t.after(() => delete process.env.SPIED_SECRET);
    const { renderer } = await start(t, { script: await writeScript(t, spy) });
    const rendering = render(renderer, await makePicture('png'));
    await assert.rejects(rendering, { message: 'true,true,true,true,true' });
  });

  test('cannot pass off another file as its picture', async (t) => {
    const liar = `process.on('message', ({ pictures }) =>
      process.send({ pictures: pictures.map(() => ({ width: 1, height: 1 })) }));`;
    const { renderer } = await start(t, { script: await writeScript(t, liar) });
    await assert.rejects(render(renderer, await makePicture('png')), isFault('refused'));
  });

  test('is ended when what it answers makes no sense', async (t) => {
    const script = await writeScript(t, `process.on('message', () => process.send({ pictures: 'many' }));`);
    const { renderer } = await start(t, { script });
    await assert.rejects(render(renderer, await makePicture('png')), isFault('killed'));
  });
});
