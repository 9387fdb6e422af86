import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import test, { describe, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { DecoderProcess, killGroup } from './decoder-process.ts';
import { findSandbox } from './find-sandbox.ts';
import { SANDBOX_METHODS, Sandbox, type SandboxMethod } from './sandbox.ts';
import { makeSeccompFilter } from './seccomp.ts';

/**
 * Simulates compromised decoder code. Prints each attempt and its result as JSON. Without a sandbox, all of
 * them succeed.
 */
const HOSTILE = `
  import { spawnSync } from 'node:child_process';
  import { createSocket } from 'node:dgram';
  import { readdirSync, readFileSync, writeFileSync, symlinkSync } from 'node:fs';
  import { connect } from 'node:net';
  const { dataDir, port, unixSocket, abstractSocket, serverPid } = JSON.parse(process.argv[2]);
  const succeeds = (act) => { try { act(); return true; } catch { return false; } };
  const connects = (target) => new Promise((resolve) => {
    const socket = connect(target);
    socket.once('connect', () => { socket.destroy(); resolve(true); }).once('error', () => resolve(false));
  });
  const sends = () => new Promise((resolve) => {
    try {
      const socket = createSocket('udp4').on('error', () => resolve(false));
      socket.send('x', port, '127.0.0.1', (error) => { socket.close(); resolve(!error); });
    } catch { resolve(false); }
  });
  const attempts = {
    'read the secret': succeeds(() => readFileSync(dataDir + '/secret')),
    'read the database': succeeds(() => readFileSync(dataDir + '/sendwell.db')),
    'read another file being decoded': succeeds(() => readFileSync(dataDir + '/rendering/job-other/file')),
    'list DATA_DIR': succeeds(() => readdirSync(dataDir)),
    'climb to the parent folder': succeeds(() => readFileSync('../../secret')),
    'read /etc/passwd': succeeds(() => readFileSync('/etc/passwd')),
    'read the environment of the server': succeeds(() => readFileSync('/proc/' + serverPid + '/environ')),
    'find the secret in its own environment': JSON.stringify(process.env).includes('shh'),
    'write to /tmp': succeeds(() => writeFileSync('/tmp/sendwell-spy', 'x')),
    'write to /dev/shm': succeeds(() => writeFileSync('/dev/shm/sendwell-spy', 'x')),
    'write to its folder': succeeds(() => writeFileSync('spy', 'x')),
    'change its input': succeeds(() => writeFileSync('file', 'x')),
    'leave a symbolic link': succeeds(() => symlinkSync('/etc/passwd', 'link')),
    'connect by TCP': await connects({ host: '127.0.0.1', port }),
    'connect to a Unix socket': await connects({ path: unixSocket }),
    'connect to an abstract socket': await connects({ path: abstractSocket }),
    'send by UDP': await sends(),
    'signal the server': succeeds(() => process.kill(serverPid, 0)),
    'start a program': succeeds(() => { if (spawnSync('/bin/true').status !== 0) throw new Error(); }),
  };
  process.stdout.write(JSON.stringify({ attempts, input: readFileSync('file', 'utf8') }));
`;

/** Attempts that a method doesn't prevent; all others must fail. */
const OPEN: Record<SandboxMethod, readonly string[]> = {
  bubblewrap: [],
  namespaces: [],
  // Node's permission model has no rules for the network and for signals.
  'separate-user': ['connect by TCP', 'connect to an abstract socket', 'send by UDP'],
  permissions: [
    ...['connect by TCP', 'connect to a Unix socket', 'connect to an abstract socket', 'send by UDP'],
    'signal the server',
  ],
};

async function build(t: TestContext) {
  const base = await mkdtemp(join(tmpdir(), 'sendwell-sandbox-'));
  const dataDir = join(base, 'data');
  const job = join(dataDir, 'rendering/job-1');
  const other = join(dataDir, 'rendering/job-other');
  for (const folder of [job, other, join(base, 'root')]) await mkdir(folder, { recursive: true });
  await chmod(dataDir, 0o700);
  await chmod(job, 0o755);
  await writeFile(join(dataDir, 'secret'), 'secret', { mode: 0o600 });
  await writeFile(join(dataDir, 'sendwell.db'), 'rows', { mode: 0o600 });
  await writeFile(join(other, 'file'), 'of somebody else');
  await writeFile(join(job, 'file'), 'mine', { mode: 0o444 });
  const script = join(base, 'hostile.mjs');
  await writeFile(script, HOSTILE);
  await chmod(base, 0o755);
  t.after(async () => {
    await rm(base, { recursive: true });
    await rm('/tmp/sendwell-spy', { force: true });
    await rm('/dev/shm/sendwell-spy', { force: true });
  });
  return { base, dataDir, job, script, root: join(base, 'root') };
}

async function listenFor(t: TestContext, base: string) {
  const unixSocket = join(base, 'data/unix-socket');
  const abstractSocket = `\0sendwell-sandbox-${process.pid}`;
  const servers = [0, unixSocket, abstractSocket].map((target) => ({ target, server: createServer() }));
  for (const { target, server } of servers) await listen(server, target);
  t.after(() => {
    for (const { server } of servers) server.close();
  });
  const { port } = servers[0]!.server.address() as { port: number };
  return { port, unixSocket, abstractSocket, serverPid: process.pid };
}

async function listen(server: Server, target: number | string): Promise<void> {
  if (typeof target === 'number') server.listen(target, '127.0.0.1');
  else server.listen({ path: target });
  await once(server, 'listening');
}

const succeeded = (attempts: Record<string, boolean>) =>
  Object.keys(attempts).filter((name) => attempts[name]);

/** Skips the test if the method doesn't work here. */
async function findMethod(t: TestContext, method: SandboxMethod, world: Awaited<ReturnType<typeof build>>) {
  const { sandbox, rejected } = await findSandbox({
    methods: [method],
    folder: join(world.dataDir, 'rendering'),
    hiddenFolders: [world.dataDir],
    mountPoint: world.root,
  });
  if (!sandbox) t.skip(`${method} is not available here: ${rejected[0]!.reason}`);
  return sandbox;
}

async function runHostile(
  sandbox: Sandbox,
  options: { script: string; job: string; facts: object; flags: boolean },
) {
  const { script, job, facts, flags } = options;
  const child = sandbox.start({
    program: { script },
    args: [JSON.stringify(facts)],
    folder: job,
    withoutPermissionFlags: !flags,
  });
  const output = await buffer(child.stdout!);
  return JSON.parse(output.toString()) as { attempts: Record<string, boolean>; input: string };
}

test('a hostile decoder without a sandbox succeeds with everything it tries', async (t) => {
  const { base, dataDir, job, script } = await build(t);
  const facts = { dataDir, ...(await listenFor(t, base)) };
  const env = { ...process.env, SPIED_SECRET: 'shh' };
  const { stdout } = await promisify(execFile)(process.execPath, [script, JSON.stringify(facts)], {
    cwd: job,
    env,
  });
  const { attempts } = JSON.parse(stdout) as { attempts: Record<string, boolean> };
  const isRoot = process.getuid!() === 0;
  const failed = Object.keys(attempts).filter((name) => !attempts[name]);
  assert.deepEqual(failed, isRoot ? [] : ['change its input']);
});

for (const method of SANDBOX_METHODS) {
  describe(`the sandbox “${method}”`, () => {
    test('keeps a hostile decoder from files, sockets, secrets and processes', async (t) => {
      const world = await build(t);
      const sandbox = await findMethod(t, method, world);
      if (!sandbox) return;
      process.env.SPIED_SECRET = 'shh';
      t.after(() => delete process.env.SPIED_SECRET);
      const facts = { dataDir: world.dataDir, ...(await listenFor(t, world.base)) };
      // Where the kernel isolates the process, JavaScript can stand in for native code.
      const { attempts, input } = await runHostile(sandbox, {
        ...world,
        facts,
        flags: !sandbox.hasNamespaces,
      });
      assert.deepEqual(succeeded(attempts), OPEN[method]);
      assert.equal(input, 'mine', 'its own file is there');
      assert.deepEqual(await readdir(world.job), ['file']);
      if (method !== 'separate-user') return;
      const native = succeeded((await runHostile(sandbox, { ...world, facts, flags: false })).attempts);
      const kept = [
        'read the secret',
        'read the database',
        'list DATA_DIR',
        'read another file being decoded',
      ];
      assert.deepEqual(
        [...kept, 'read the environment of the server', 'signal the server'].filter((name) =>
          native.includes(name),
        ),
        [],
        'also from native code',
      );
    });

    test('limits CPU time, memory, open files and written files', async (t) => {
      const world = await build(t);
      const sandbox = await findMethod(t, method, world);
      if (!sandbox) return;
      const script = join(world.base, 'limits.mjs');
      await writeFile(script, 'process.stdin.resume();');
      const child = sandbox.start({ program: { script }, args: [], folder: world.job });
      try {
        const limits = await readLimits(child.pid!);
        assert.deepEqual(limits, {
          'Max cpu time': '30',
          'Max file size': '0',
          'Max data size': String(1024 ** 3),
          'Max core file size': '0',
          'Max open files': '256',
        });
      } finally {
        killGroup(child);
      }
    });

    test('ends a decoder that allocates more than its memory', async (t) => {
      const world = await build(t);
      const sandbox = await findMethod(t, method, world);
      if (!sandbox) return;
      const script = join(world.base, 'greedy.mjs');
      await writeFile(script, 'const all = []; for (;;) all.push(Buffer.alloc(64e6, 1));');
      const decoder = new DecoderProcess({
        sandbox,
        program: { script },
        folder: world.job,
        maxRssBytes: Number.POSITIVE_INFINITY,
      });
      const run = { input: '', maxOutputBytes: 1, timeoutMs: 60_000, signal: new AbortController().signal };
      await assert.rejects(decoder.run(run), { name: 'PictureError' });
    });
  });
}

test('bubblewrap’s system-call filter refuses processes and sockets that namespaces alone allow', async (t) => {
  const world = await build(t);
  if (!makeSeccompFilter()) return t.skip(`there is no filter for ${process.arch}`);
  const script = join(world.base, 'calls.mjs');
  await writeFile(
    script,
    `import { spawnSync } from 'node:child_process';
     import { createServer } from 'node:net';
     const listening = new Promise((resolve) => {
       const server = createServer().on('error', ({ code }) => resolve(code));
       server.listen(0, '0.0.0.0', () => server.close(() => resolve('allowed')));
     });
     const spawning = spawnSync('/app/node', ['--version']).error?.code ?? 'allowed';
     console.log(spawning, await listening);`,
  );
  const run = async (method: SandboxMethod) => {
    const sandbox = await findMethod(t, method, world);
    if (!sandbox) return undefined;
    const program = { program: { script }, args: [], folder: world.job, withoutPermissionFlags: true };
    return (await buffer(sandbox.start(program).stdout!)).toString().trim();
  };
  const filtered = await run('bubblewrap');
  if (filtered === undefined) return;
  assert.equal(filtered, 'EPERM EPERM');
  const unfiltered = await run('namespaces');
  if (unfiltered !== undefined)
    assert.equal(unfiltered, 'allowed allowed', 'without the filter they are allowed');
});

for (const method of ['bubblewrap', 'namespaces'] as const)
  test(`a folder below a system folder is hidden (${method})`, async (t) => {
    const world = await build(t);
    if (!(await findMethod(t, method, world))) return;
    const hidden = await mkdtemp('/usr/local/lib/sendwell-test-').catch(() => undefined);
    if (!hidden) return t.skip('/usr/local/lib cannot be written by this user');
    t.after(() => rm(hidden, { recursive: true }));
    await writeFile(join(hidden, 'secret'), 'secret');
    const script = join(world.base, 'list.mjs');
    await writeFile(
      script,
      `import { readdirSync } from 'node:fs'; console.log(readdirSync('${hidden}').join());`,
    );
    const list = async (hiddenFolders: string[]) => {
      const sandbox = new Sandbox({ method, hiddenFolders, mountPoint: world.root });
      const run = { program: { script }, args: [], folder: world.job, withoutPermissionFlags: true };
      return (await buffer(sandbox.start(run).stdout!)).toString().trim();
    };
    assert.equal(await list([]), 'secret');
    assert.equal(await list([hidden]), '');
  });

test('a method that does not work is reported with its reason, and the next one is used', async (t) => {
  const world = await build(t);
  // Mounting fails there.
  const mountPoint = join(world.base, 'missing');
  const { sandbox, rejected } = await findSandbox({
    methods: ['namespaces', 'permissions'],
    folder: join(world.dataDir, 'rendering'),
    hiddenFolders: [],
    mountPoint,
  });
  assert.equal(sandbox!.method, 'permissions');
  assert.deepEqual(rejected, [{ method: 'namespaces', reason: 'it does not start here' }]);
});

/** The shell sets the limits before it becomes the program. */
async function readLimits(pid: number): Promise<Record<string, string>> {
  for (;;) {
    const text = await readFile(`/proc/${pid}/limits`, 'utf8');
    const names = ['Max cpu time', 'Max file size', 'Max data size', 'Max core file size', 'Max open files'];
    const limits = Object.fromEntries(
      names.map((name) => [name, new RegExp(`^${name} +(\\S+)`, 'm').exec(text)![1]!]),
    );
    if (limits['Max data size'] !== 'unlimited') return limits;
  }
}
