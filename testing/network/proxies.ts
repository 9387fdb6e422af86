import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { findFreePort } from './free-port.ts';

const DOCS = join(import.meta.dirname, '../../docs/proxies');
const READY_WITHIN_MS = 20_000;

export type ProxyName = 'nginx' | 'caddy';

/** Debian's packages, installed by `bin/install-test-servers.ts`. */
const PROGRAMS: Record<ProxyName, string> = { nginx: '/usr/sbin/nginx', caddy: '/usr/bin/caddy' };

export function isProxyInstalled(name: ProxyName): boolean {
  return existsSync(PROGRAMS[name]);
}

/**
 * Starts the proxy in front of a server with the configuration in docs/proxies, changed only in addresses and folders
 * and without the certificate. The proxy stops when the test ends.
 */
export async function startProxy(
  t: TestContext,
  name: ProxyName,
  serverPort: number,
): Promise<{
  /** The address that serves the https site. */
  url: string;
  /** The address that serves the site on port 80. */
  plainUrl: string;
}> {
  const folder = await mkdtemp(join(tmpdir(), `sendwell-${name}-`));
  const port = await findFreePort();
  const plainPort = await findFreePort();
  const child =
    name === 'nginx'
      ? await startNginx({ folder, port, plainPort, serverPort })
      : await startCaddy({ folder, port, plainPort, serverPort });
  let output = '';
  child.stderr?.on('data', (bytes: Buffer) => {
    output = (output + bytes.toString()).slice(-5_000);
  });
  const end = () => void child.kill('SIGTERM');
  process.once('exit', end);
  t.after(async () => {
    process.off('exit', end);
    const closed = new Promise((resolve) => child.once('close', resolve));
    end();
    if (child.exitCode === null) await closed;
    await rm(folder, { recursive: true, force: true });
  });
  const url = `http://127.0.0.1:${port}`;
  await waitUntilReady(url, child, () => output);
  return { url, plainUrl: `http://127.0.0.1:${plainPort}` };
}

type Place = { folder: string; port: number; plainPort: number; serverPort: number };

async function startNginx({ folder, port, plainPort, serverPort }: Place): Promise<ChildProcess> {
  const site = readFileSync(join(DOCS, 'nginx.conf'), 'utf8')
    .replace('127.0.0.1:3000', `127.0.0.1:${serverPort}`)
    .replace('listen 80;', `listen 127.0.0.1:${plainPort};`)
    .replace('listen 443 ssl http2;', `listen 127.0.0.1:${port};`)
    .replace(/^ *ssl_\w+ .*;\n/gm, '')
    .replaceAll('server_name files.example.org;', 'server_name 127.0.0.1;')
    .replaceAll('/var/log/nginx/', `${folder}/`);
  await writeFile(join(folder, 'site.conf'), site);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${folder}/${kind};`,
  );
  const main = [
    'daemon off;',
    `pid ${folder}/nginx.pid;`,
    'worker_processes 1;',
    'events { worker_connections 256; }',
    `http { ${temporary.join(' ')} include ${folder}/site.conf; }`,
  ];
  await writeFile(join(folder, 'nginx.conf'), `${main.join('\n')}\n`);
  const args = ['-p', folder, '-e', 'stderr', '-c', join(folder, 'nginx.conf')];
  return spawn(PROGRAMS.nginx, args, { stdio: ['ignore', 'ignore', 'pipe'] });
}

async function startCaddy({ folder, port, plainPort, serverPort }: Place): Promise<ChildProcess> {
  const site = readFileSync(join(DOCS, 'Caddyfile'), 'utf8')
    .replace('127.0.0.1:3000', `127.0.0.1:${serverPort}`)
    .replace('\nhttp://files.example.org {', `\nhttp://127.0.0.1:${plainPort} {`)
    .replace('\nfiles.example.org {', `\nhttp://127.0.0.1:${port} {`);
  const config = join(folder, 'Caddyfile');
  await writeFile(config, `{\n\tadmin off\n}\n${site}`);
  const home = join(folder, 'home');
  await mkdir(home);
  return spawn(PROGRAMS.caddy, ['run', '--config', config, '--adapter', 'caddyfile'], {
    env: { ...process.env, HOME: home, XDG_DATA_HOME: home, XDG_CONFIG_HOME: home },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
}

async function waitUntilReady(url: string, child: ChildProcess, readOutput: () => string): Promise<void> {
  const deadline = Date.now() + READY_WITHIN_MS;
  for (;;) {
    const isReady = await fetch(`${url}/healthz`).then(
      (response) => response.ok,
      () => false,
    );
    if (isReady) return;
    if (child.exitCode !== null || Date.now() > deadline) throw new Error(`No proxy: ${readOutput()}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
