/**
 * `npm run dev`: the server with reload and the pages with hot reload behind one address, and a mailbox that
 * catches all mails. Needs no build. Settings come from the environment and .env, except those set below.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createServer, type Plugin, type ViteDevServer } from 'vite';
import { loadEnvFile } from '../server/environment/env-file.ts';
import { findFreePort } from '../testing/network/free-port.ts';
import { encryptedPageInDevelopment } from './dev/encrypted-page.ts';
import { type CaughtMail, MAILBOX_PATH, Mailbox } from './dev/mailbox.ts';

const ROOT = join(import.meta.dirname, '..');
/** Paths that the server answers; everything else is a page. */
const SERVER_PATHS = [
  '/api',
  '/docs/api',
  '/healthz',
  '/readyz',
  '/metrics',
  '^/download/[^/]+/plain(/|\\?|$)',
];

loadEnvFile(process.env);
const port = Number(process.env.PORT || 3000);
const address = `http://localhost:${port}`;
const serverPort = await findFreePort();

const mailbox = await Mailbox.open(announceMail);
const pages = await servePages();
const server = startServer();
const stop = async () => {
  server.kill('SIGTERM');
  await Promise.all([pages.close(), mailbox.close()]);
  process.exit(0);
};
process.once('SIGINT', stop);
process.once('SIGTERM', stop);
server.once('exit', stop);
console.log(
  [
    '',
    `  Sendwell       ${address}`,
    `  Mailbox        ${address}${MAILBOX_PATH}`,
    `  API reference  ${address}/docs/api`,
    '',
    '  Sample data and people who can sign in: npm run seed',
    '',
  ].join('\n'),
);

async function servePages(): Promise<ViteDevServer> {
  const target = `http://127.0.0.1:${serverPort}`;
  const vite = await createServer({
    root: join(ROOT, 'web'),
    configFile: join(ROOT, 'web/vite.config.ts'),
    logLevel: 'warn',
    plugins: [showMailbox(), encryptedPageInDevelopment()],
    server: {
      host: process.env.HOST || '127.0.0.1',
      port,
      strictPort: true,
      proxy: Object.fromEntries(
        SERVER_PATHS.map((path) => [path, { target, bypass: findSource, configure: answerWhileRestarting }]),
      ),
      // In a git worktree node_modules may be a link to another folder.
      fs: { allow: [ROOT, realpathSync(join(ROOT, 'node_modules'))] },
    },
  });
  return vite.listen();
}

/** The sources in `web/api` have addresses that begin like the server's calls. */
function findSource({ url = '', method }: { url?: string; method?: string }): string | undefined {
  const path = url.split('?', 1)[0]!;
  return method === 'GET' && /\.tsx?$/.test(path) && existsSync(join(ROOT, 'web', path)) ? url : undefined;
}

/** Each change restarts the server, and requests fail for a second: say so instead of a bare 500. */
function answerWhileRestarting(proxy: {
  on(event: 'error', listen: (...args: never[]) => void): unknown;
}): void {
  proxy.on('error', (_error: Error, _request: unknown, response: import('node:http').ServerResponse) => {
    if (!('writeHead' in response) || response.headersSent) return;
    response.writeHead(503, { 'content-type': 'text/plain', 'retry-after': '1' });
    response.end('The development server is starting. Try again in a second.\n');
  });
}

function showMailbox(): Plugin {
  return { name: 'mailbox', configureServer: ({ middlewares }) => void middlewares.use(mailbox.handle) };
}

function startServer(): ChildProcess {
  const { SMTP_URL_FILE: _, ...inherited } = process.env;
  const child = spawn(process.execPath, ['--watch', '--watch-preserve-output', 'server/main.ts'], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...inherited,
      ENV_FILE: 'off',
      HOST: '127.0.0.1',
      PORT: String(serverPort),
      PUBLIC_URL: address,
      SMTP_URL: mailbox.smtpUrl,
      TRUST_PROXY: 'off',
      WORKERS: '1',
      LOG_LEVEL: process.env.LOG_LEVEL || 'warn',
    },
  });
  // Vite serves the pages here, so the server's warning about them would mislead.
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (!line.includes('the pages are not built')) console.log(line);
  });
  return child;
}

function announceMail({ to, subject, code }: CaughtMail): void {
  console.log(`  Mail to ${to}: ${subject}${code ? ` (${code})` : ''}`);
}
