/** Starts what is measured and what it is measured against, each as a process of its own on loopback. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePort } from '../../testing/network/free-port.ts';
import { childrenOf } from './processes.ts';

export type Server = {
  name: string;
  port: number;
  /** All processes that serve, for CPU and memory. */
  pids: number[];
  /** What it printed so far. */
  output(): string;
  stop(): Promise<void>;
};

/** As `npm start` sets them. */
export const NODE_FLAGS = ['--max-semi-space-size=8'];

const root = join(import.meta.dirname, '../..');

/** `settings` come on top of what the bench needs; `source` is another version's folder. */
export async function startSendwell(
  folder: string,
  settings: Record<string, string> = {},
  source = root,
): Promise<Server> {
  const port = await findFreePort();
  const env = {
    ...process.env,
    ENV_FILE: 'off',
    PORT: String(port),
    DATA_DIR: join(folder, 'sendwell'),
    RATE_LIMIT: 'off',
    // As `npm start` sets them.
    MALLOC_ARENA_MAX: '2',
    NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/node'),
    LOG_LEVEL: 'info',
    ADMIN_USERNAME: 'bench',
    ADMIN_EMAIL: 'bench@example.org',
    ADMIN_PASSWORD: 'bench password',
    ...settings,
  };
  mkdirSync(env.DATA_DIR, { recursive: true });
  return launch(
    'sendwell',
    port,
    spawn(process.execPath, [...NODE_FLAGS, 'server/main.ts'], {
      cwd: source,
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    }),
  );
}

export async function startBareServer(folder: string): Promise<Server> {
  const port = await findFreePort();
  const child = spawn(process.execPath, ['bench/servers/bare-server.ts', folder, String(port)], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return launch('bare node', port, child);
}

/** Debian's nginx with one worker, PUT by its dav module; undefined when it is not installed. */
export async function startNginx(folder: string): Promise<Server | undefined> {
  if (spawnSync('nginx', ['-v']).error) return undefined;
  const port = await findFreePort();
  const state = join(folder, 'nginx');
  mkdirSync(state, { recursive: true });
  writeFileSync(join(state, 'nginx.conf'), nginxConfig(state, folder, port));
  const child = spawn('nginx', ['-c', join(state, 'nginx.conf'), '-p', state], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const server = await launch('nginx', port, child);
  return { ...server, pids: childrenOf(child.pid!) };
}

function nginxConfig(state: string, folder: string, port: number): string {
  return `
daemon off;
worker_processes 1;
${process.getuid?.() === 0 ? 'user root;' : ''}
pid ${state}/nginx.pid;
error_log ${state}/error.log;
events { worker_connections 1024; }
http {
  access_log off;
  sendfile on;
  tcp_nopush on;
  keepalive_requests 1000000;
  client_max_body_size 0;
  client_body_temp_path ${state}/body;
  proxy_temp_path ${state}/proxy; fastcgi_temp_path ${state}/fastcgi;
  uwsgi_temp_path ${state}/uwsgi; scgi_temp_path ${state}/scgi;
  server {
    listen 127.0.0.1:${port};
    root ${folder};
    location / { dav_methods PUT DELETE; create_full_put_path on; dav_access user:rw; }
  }
}
`;
}

async function launch(name: string, port: number, child: ChildProcess): Promise<Server> {
  const killAtExit = () => child.kill();
  process.once('exit', killAtExit);
  let printed = '';
  child.stdout?.on('data', (bytes: Buffer) => {
    printed = (printed + bytes.toString()).slice(-100_000);
  });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  void exited.then(() => process.off('exit', killAtExit));
  await answering(port, child);
  return {
    name,
    port,
    pids: [child.pid!],
    output: () => printed,
    async stop() {
      child.kill('SIGTERM');
      await exited;
    },
  };
}

async function answering(port: number, child: ChildProcess): Promise<void> {
  for (let attempt = 0; attempt < 1_200; attempt += 1) {
    if (child.exitCode !== null) throw new Error(`${child.spawnfile} ended with ${child.exitCode}`);
    const answered = await fetch(`http://127.0.0.1:${port}/healthz`).then(
      () => true,
      () => false,
    );
    if (answered) return;
    await sleep(50);
  }
  throw new Error(`${child.spawnfile} does not answer on port ${port}`);
}
