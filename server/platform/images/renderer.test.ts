import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import test, { describe, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import sharp from 'sharp';
import { MIB } from '../../../contracts/values/sizes.ts';
import { onlyInAll } from '../../../testing/lib/only-in-all.ts';
import { until } from '../../../testing/lib/until.ts';
import {
  makeEndlessPdf,
  makeHostileFiles,
  makeOddFiles,
  makePdf,
  makePdfOfPages,
  makePicture,
} from '../../../testing/uploads/hostile-files.ts';
import { listProcessTree } from './decoder-process.ts';
import { PictureError } from './picture-error.ts';
import { openRenderer, type Renderer, type RendererOptions } from './renderer.ts';
import { findProgram } from './sandbox.ts';

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
  return renderer.render({
    owner: 'ada',
    bytes: blocks,
    kinds: ['image', 'pdf', 'video'],
    boxes: BOXES,
    signal,
  });
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

async function writeScript(t: TestContext, code: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'sendwell-script-'));
  t.after(() => rm(folder, { recursive: true }));
  const script = join(folder, 'script.mjs');
  await writeFile(script, code);
  return script;
}

/** The process that waits for the next file exits. */
const HANGING = `process.stdin.resume().on('end', () => { for (;;); });`;

/** Its first argument is the program; empty once it has ended. */
const readCommand = (pid: number) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');

const answering = (header: string) =>
  `process.stdin.resume().on('end', () => process.stdout.write(${JSON.stringify(`${header}\n`)}));`;

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

  test('are upright and without the original’s metadata', async (t) => {
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

  test('of a document show the requested pages, in their own sizes', async (t) => {
    const { renderer } = await start(t);
    const boxes = ['[0 0 300 200]', '[0 0 200 300]', '[0 0 200 200]'];
    const draw = (first: number) =>
      renderer.renderPages({
        owner: 'ada',
        bytes: Readable.from([makePdfOfPages(boxes)]),
        box: { width: 600, height: 600 },
        pages: { first, count: 2 },
      });
    const sizesFrom = async (first: number) => {
      const { pages, pageCount } = await draw(first);
      return [pageCount, ...pages.map(({ width, height }) => `${width} × ${height}`)];
    };
    assert.deepEqual(await sizesFrom(1), [3, '600 × 400', '400 × 600']);
    assert.deepEqual(await sizesFrom(3), [3, '600 × 600']);
    assert.deepEqual(await sizesFrom(4), [3]);
  });

  test('of other kinds than requested are not rendered', async (t) => {
    const { renderer } = await start(t);
    const bytes = (async function* () {
      yield makePdf();
    })();
    const rendering = renderer.render({ owner: 'ada', bytes, kinds: ['image'], boxes: BOXES });
    await assert.rejects(rendering, isFault('unsupported'));
  });
});

describe('videos', () => {
  const video = Buffer.from('\0\0\0\x18ftypisom\0\0\0\0isommp42 and so on');

  /** A shell script runs only if the file system isn't hidden. */
  async function writeFfmpeg(t: TestContext, code: string) {
    const folder = await mkdtemp(join(tmpdir(), 'sendwell-ffmpeg-'));
    t.after(() => rm(folder, { recursive: true }));
    await writeFile(join(folder, 'frame.png'), await makePicture('png', { width: 1280, height: 720 }));
    const ffmpeg = join(folder, 'ffmpeg');
    await writeFile(ffmpeg, `#!/bin/sh\nframe=${folder}/frame.png\n${code}\n`, { mode: 0o755 });
    return { ffmpeg, methods: ['permissions'] as const };
  }

  test('are shown by a frame from the system’s ffmpeg, which may read only the file', async (t) => {
    const code = `case "$*" in *"-protocol_whitelist file "*" -i file:file "*" pipe:1") cat $frame;; esac`;
    const { folder, renderer } = await start(t, await writeFfmpeg(t, code));
    const [small, large] = await render(renderer, video);
    assert.deepEqual([small!.width, small!.height, large!.width, large!.height], [480, 270, 1280, 720]);
    await renderer.close();
    await assert.rejects(readdir(folder), { code: 'ENOENT' });
  });

  test('have no picture when ffmpeg finds none or fails', async (t) => {
    for (const code of ['exit 1', 'exit 0', 'echo no picture']) {
      const { renderer } = await start(t, await writeFfmpeg(t, code));
      await assert.rejects(render(renderer, video), isFault('refused'), code);
    }
  });

  const ffmpeg = findProgram('ffmpeg');
  test('are decoded by a real ffmpeg in the sandbox', {
    skip: !ffmpeg && 'ffmpeg is not installed',
  }, async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'sendwell-film-'));
    t.after(() => rm(folder, { recursive: true }));
    const path = join(folder, 'film.mp4');
    const source = ['-f', 'lavfi', '-i', 'testsrc=duration=1:size=320x180:rate=5'];
    await promisify(execFile)(ffmpeg!, ['-loglevel', 'error', ...source, '-pix_fmt', 'yuv420p', path]);
    const { renderer } = await start(t);
    const [small] = await render(renderer, await readFile(path));
    assert.deepEqual([small!.width, small!.height], [320, 180]);
  });
});

test('hostile files are refused one by one, and the next valid one is rendered', onlyInAll, async (t) => {
  const { folder, renderer } = await start(t);
  const before = process.memoryUsage.rss();
  for (const { name, bytes } of await makeHostileFiles()) {
    await assert.rejects(render(renderer, bytes), PictureError, name);
    const jobs = (await readdir(folder)).filter((entry) => entry.startsWith('job-'));
    assert.ok(jobs.length <= 1, `${name} left something behind`);
  }
  for (const { name, bytes } of await makeOddFiles()) {
    const [small] = await render(renderer, bytes);
    assert.ok(small!.width <= 480 && small!.height <= 480, name);
  }
  assert.equal((await render(renderer, await makePicture('png'))).length, 2);
  assert.ok(process.memoryUsage.rss() - before < 400 * MIB, 'decoded in the server process');
});

test('a page that renders forever is stopped by its time or memory limit', async (t) => {
  const { renderer } = await start(t, { timeoutMs: 4_000 });
  await assert.rejects(render(renderer, makeEndlessPdf()), PictureError);
  assert.equal((await render(renderer, await makePicture('png'))).length, 2);
});

describe('the process that renders', () => {
  async function findPid(renderer: Renderer): Promise<number> {
    await until(async () => renderer.pid !== undefined);
    return renderer.pid!;
  }

  test('is a new one for each file', async (t) => {
    const { renderer } = await start(t);
    const picture = await makePicture('png', { width: 10, height: 10 });
    const pids = new Set<number>();
    for (let index = 0; index < 3; index += 1) {
      const rendering = render(renderer, picture);
      const pid = await findPid(renderer);
      pids.add(pid);
      await rendering;
      assert.equal(isAlive(pid), false);
    }
    assert.equal(pids.size, 3);
  });

  test('is killed when it hangs, and the next file is rendered', async (t) => {
    const script = await writeScript(t, HANGING);
    const { renderer } = await start(t, { script, timeoutMs: 1_000 });
    const picture = await makePicture('png');
    for (let round = 0; round < 2; round += 1) {
      const rendering = render(renderer, picture);
      const pid = await findPid(renderer);
      await assert.rejects(rendering, { fault: 'killed', message: 'it took too long' });
      assert.equal(isAlive(pid), false);
    }
  });

  test('is killed when it exceeds its memory, which the server watches from outside', async (t) => {
    const hoard = `process.stdin.resume().on('end', () => {
      const all = [];
      setInterval(() => all.push(Buffer.alloc(1e6, 1)), 1);
    });`;
    const script = await writeScript(t, hoard);
    const { renderer } = await start(t, { script, timeoutMs: 60_000, maxRssBytes: 300 * MIB });
    const rendering = render(renderer, await makePicture('png'));
    await assert.rejects(rendering, { fault: 'killed', message: 'the process ended early' });
  });

  test('ends when the renderer is closed, even while rendering', async (t) => {
    const { folder, renderer } = await start(t, { script: await writeScript(t, HANGING) });
    const rendering = assert.rejects(render(renderer, await makePicture('png')));
    const pid = await findPid(renderer);
    await renderer.close();
    await rendering;
    assert.equal(isAlive(pid), false);
    await assert.rejects(readdir(folder), { code: 'ENOENT' });
  });

  test('is killed when the request is aborted', async (t) => {
    const { renderer } = await start(t, { script: await writeScript(t, HANGING) });
    const giveUp = new AbortController();
    const rendering = render(renderer, await makePicture('png'), giveUp.signal);
    const pid = await findPid(renderer);
    giveUp.abort(new Error('never mind'));
    await assert.rejects(rendering, { message: 'never mind' });
    assert.equal(isAlive(pid), false);
  });

  for (const method of ['bubblewrap', 'namespaces'] as const)
    test(`does not outlive a server that is killed, whatever keeps it busy (${method})`, async (t) => {
      const script = await writeScript(t, HANGING);
      const { folder, renderer } = await start(t, { methods: [method] });
      const { sandbox, rejected } = await renderer.findSandbox();
      if (!sandbox) return t.skip(`${method} is not available here: ${rejected[0]!.reason}`);
      const server = await writeScript(
        t,
        `import { openRenderer } from '${join(import.meta.dirname, 'renderer.ts')}';
         const renderer = await openRenderer({ folder: '${join(folder, 'inner')}', script: '${script}', methods: ['${method}'] });
         async function* bytes() { yield Buffer.from('GIF89a and more'); }
         void renderer.render({ owner: '', bytes: bytes(), kinds: ['image'], boxes: [{ width: 9, height: 9 }] });
         setInterval(() => renderer.pid && process.stdout.write(renderer.pid + ' '), 10);`,
      );
      const parent = spawn(process.execPath, [server], { stdio: ['ignore', 'pipe', 'inherit'] });
      const [output] = (await once(parent.stdout, 'data')) as [Buffer];
      const pid = Number.parseInt(output.toString(), 10);
      let family: number[] = [];
      // Until the program runs, the wrapper may not yet have asked to be killed with its parent.
      await until(async () => {
        family = await listProcessTree(pid);
        return (await Promise.all(family.map(readCommand))).some((command) =>
          command.startsWith('/app/node'),
        );
      });
      parent.kill('SIGKILL');
      await until(async () => !family.some(isAlive));
    });

  test('is not trusted when its pictures are missing or not WebP, or its reply is malformed', async (t) => {
    const size = { width: 1, height: 1, sizeBytes: 20 };
    for (const header of [JSON.stringify({ pictures: [size, size] }), '{"pictures":"many"}', 'null', '']) {
      const { renderer } = await start(t, { script: await writeScript(t, answering(header)) });
      await assert.rejects(render(renderer, await makePicture('png')), isFault('refused'), header);
    }
  });

  test('is killed when it writes more than the output limit', async (t) => {
    const flood = `process.stdin.resume().on('end', () => {
      const block = Buffer.alloc(1e6);
      const write = () => process.stdout.write(block, write);
      write();
    });`;
    const { renderer } = await start(t, { script: await writeScript(t, flood) });
    await assert.rejects(render(renderer, await makePicture('png')), { message: 'the picture is too large' });
  });
});

test('an owner with many pictures does not delay another owner’s picture by more than one', async (t) => {
  const { renderer } = await start(t);
  const bytes = await makePicture('png', { width: 10, height: 10 });
  const done: string[] = [];
  const ask = async (owner: string) => {
    const blocks = (async function* () {
      yield bytes;
    })();
    await renderer.render({ owner, bytes: blocks, kinds: ['image'], boxes: BOXES });
    done.push(owner);
  };
  await Promise.all([...Array.from({ length: 6 }, () => ask('many')), ask('one')]);
  assert.deepEqual(done.slice(0, 3), ['many', 'many', 'one']);
});
