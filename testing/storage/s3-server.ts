import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import {
  STORAGE_KINDS,
  SWIFT_ACCESS_KEY,
  SWIFT_REGION,
  SWIFT_SECRET_KEY,
  type SwiftLimits,
  type SwiftSite,
  writeProxyConf,
  writeRingProgram,
  writeStorageConf,
  writeSwiftConf,
} from './swift-config.ts';

/** Debian's Python, because another one that comes first in PATH would not find Swift's packages. */
const PYTHON = '/usr/bin/python3';
const MEMCACHED = '/usr/bin/memcached';
const PROXY = '/usr/bin/swift-proxy-server';
/** Only a server that hangs takes longer. */
const READY_WITHIN_MS = 120_000;

export type S3Server = {
  endpoint: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
  createBucket(name: string): Promise<void>;
  stop(): Promise<void>;
};

/** If false, `bin/install-test-servers.ts` could not install OpenStack Swift, and tests with it are skipped. */
export function isS3ServerInstalled(): boolean {
  const programs = STORAGE_KINDS.map((kind) => `/usr/bin/swift-${kind}-server`);
  return [PYTHON, MEMCACHED, PROXY, ...programs].every((program) => existsSync(program));
}

/**
 * Connects to the server at `TEST_S3_ENDPOINT`, which all test files of the gate share, or starts one. Starting takes 5
 * seconds of CPU time. Use random bucket names, because all tests share the server.
 */
export async function openS3Server(): Promise<S3Server> {
  const { TEST_S3_ENDPOINT } = process.env;
  return TEST_S3_ENDPOINT ? connectS3Server(TEST_S3_ENDPOINT) : startS3Server();
}

/**
 * Starts a real S3 server (OpenStack Swift with s3api) with all files in a temporary folder: a proxy, one server each
 * for accounts, containers and objects, and memcached, on free loopback ports. Throws if it does not respond within
 * two minutes.
 */
export async function startS3Server(limits: SwiftLimits = {}): Promise<S3Server> {
  const parent = await findSwiftParent();
  const folder = await mkdtemp(join(parent, 'sendwell-s3-'));
  const [proxy, account, container, object, memcached] = await findFreePorts(5);
  const ports = {
    proxy: proxy!,
    account: account!,
    container: container!,
    object: object!,
    memcached: memcached!,
  };
  const site: SwiftSite = { folder, user: userInfo().username, ports, limits };
  const processes: ChildProcess[] = [];
  const killAll = () => {
    for (const child of processes) child.kill('SIGKILL');
  };
  const cleanUpAtExit = () => {
    killAll();
    rmSync(folder, { recursive: true, force: true });
  };
  process.once('exit', cleanUpAtExit);
  const stop = async () => {
    killAll();
    await Promise.all(processes.map(waitForExit));
    await rm(folder, { recursive: true, force: true });
    process.off('exit', cleanUpAtExit);
  };

  try {
    await writeSite(site);
    processes.push(...spawnServers(site));
    await waitUntilReady(site, processes);
  } catch (error) {
    await stop();
    throw error;
  }
  return { ...connectS3Server(`http://127.0.0.1:${site.ports.proxy}`), stop };
}

/**
 * The temporary folder, which is in memory during `npm test` because Swift syncs each object and each row of its
 * listings to disk. Swift stores metadata in extended attributes, which tmpfs does not support before Linux 6.6; then
 * a folder on a disk.
 */
async function findSwiftParent(): Promise<string> {
  const program = `import os, sys, tempfile
with tempfile.NamedTemporaryFile(dir=sys.argv[1]) as file:
    os.setxattr(file.name, 'user.swift.metadata', b'x' * 3000)
`;
  return promisify(execFile)(PYTHON, ['-c', program, tmpdir()]).then(
    () => tmpdir(),
    () => process.env.TEST_DISK_DIR ?? (existsSync('/var/tmp') ? '/var/tmp' : tmpdir()),
  );
}

/** Connects to a server that another process may have started. `stop` does nothing. */
function connectS3Server(endpoint: string): S3Server {
  const access = { region: SWIFT_REGION, accessKeyId: SWIFT_ACCESS_KEY, secretAccessKey: SWIFT_SECRET_KEY };
  return { endpoint, ...access, createBucket: (name) => createBucket(endpoint, name), stop: async () => {} };
}

async function createBucket(endpoint: string, name: string): Promise<void> {
  const { CreateBucketCommand, S3Client } = await import('@aws-sdk/client-s3');
  const credentials = { accessKeyId: SWIFT_ACCESS_KEY, secretAccessKey: SWIFT_SECRET_KEY };
  const client = new S3Client({ endpoint, region: SWIFT_REGION, credentials, forcePathStyle: true });
  try {
    await client.send(new CreateBucketCommand({ Bucket: name }));
  } finally {
    client.destroy();
  }
}

async function writeSite(site: SwiftSite): Promise<void> {
  await mkdir(join(site.folder, 'devices/d1'), { recursive: true });
  await writeFile(join(site.folder, 'swift.conf'), writeSwiftConf());
  await writeFile(join(site.folder, 'proxy-server.conf'), writeProxyConf(site));
  for (const kind of STORAGE_KINDS) {
    await writeFile(join(site.folder, `${kind}-server.conf`), writeStorageConf(site, kind));
  }
  await promisify(execFile)(PYTHON, ['-c', writeRingProgram(site)]);
}

function spawnServers({ folder, user, ports }: SwiftSite): ChildProcess[] {
  const listen = ['-l', '127.0.0.1', '-p', String(ports.memcached), '-U', '0'];
  const run = (program: string, parameters: string[]) => spawn(program, parameters, { stdio: 'ignore' });
  return [
    run(MEMCACHED, ['-u', user, '-m', '16', '-t', '1', ...listen]),
    ...STORAGE_KINDS.map((kind) =>
      run(`/usr/bin/swift-${kind}-server`, [join(folder, `${kind}-server.conf`)]),
    ),
    run(PROXY, [join(folder, 'proxy-server.conf')]),
  ];
}

/** Waits for any response: even a refusal proves that the server listens and has read its configuration. */
async function waitUntilReady({ ports }: SwiftSite, processes: ChildProcess[]): Promise<void> {
  const deadline = Date.now() + READY_WITHIN_MS;
  for (const port of [ports.account, ports.container, ports.object]) {
    await waitForAnswer(`http://127.0.0.1:${port}/recon/ready`, processes, deadline);
  }
  await waitForAnswer(`http://127.0.0.1:${ports.proxy}/healthcheck`, processes, deadline);
}

async function waitForAnswer(url: string, processes: ChildProcess[], deadline: number): Promise<void> {
  for (;;) {
    const dead = processes.find((child) => child.exitCode !== null);
    if (dead) throw new Error(`${dead.spawnargs.join(' ')} ended with ${dead.exitCode}`);
    if (Date.now() > deadline) throw new Error(`No answer from ${url}`);
    try {
      await (await fetch(url)).arrayBuffer();
      return;
    } catch {
      await sleep(50);
    }
  }
}

async function findFreePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(Array.from({ length: count }, listenAnywhere));
  const ports = servers.map((server) => (server.address() as { port: number }).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

function listenAnywhere(): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => resolve(server));
  });
}

function waitForExit(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined)
    return Promise.resolve();
  return new Promise((resolve) => child.once('exit', () => resolve()));
}
