import { type ChildProcess, spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { SSO_CALLBACK_PATH } from '../../contracts/accounts/sign-in/single-sign-on.ts';
import { findFreePort } from '../network/free-port.ts';
import type { TestServer } from '../test-context.ts';
import type { ProviderBrowser } from './real-provider.ts';

const NEEDED = ['Lemonldap/NG/Portal/Main.pm', 'String/Random.pm', 'IO/String.pm'];
const RUN_PORTAL = 'use Lemonldap::NG::Portal::Main; Lemonldap::NG::Portal::Main->run({})';
/** Only a portal that hangs takes longer. */
const READY_WITHIN_MS = 60_000;

/** Version 2.16 misreads Basic authentication if the secret has other characters than letters and digits. */
export const LEMONLDAP_CLIENT = { clientId: 'sendwell', clientSecret: 'aSecretThatIsLongEnough1' };

/** An account of the portal's demonstration mode, whose password is its name. */
export const ROSE = { login: 'rtyler', email: 'rtyler@badwolf.org', name: 'Rose Tyler' };

/** If false, `bin/install-test-servers.ts` could not install LemonLDAP::NG, and tests with it are skipped. */
export function isLemonldapInstalled(): boolean {
  return NEEDED.every((module) => existsSync(`/usr/share/perl5/${module}`));
}

/**
 * Starts the portal of Debian's LemonLDAP::NG as the OpenID Connect provider of a server, with all its files in a
 * temporary folder. It stops when the test ends.
 */
export async function startLemonldap(t: TestContext, server: TestServer): Promise<{ issuer: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'sendwell-lemonldap-'));
  const port = await findFreePort();
  const issuer = `http://127.0.0.1:${port}`;
  await writeSettings(folder, issuer, server.context.config.publicUrl);
  const address = ['--host', '127.0.0.1', '--port', String(port)];
  const child = spawn(
    'plackup',
    ['-s', 'HTTP::Server::PSGI', ...address, '-E', 'deployment', '-e', RUN_PORTAL],
    {
      cwd: folder,
      env: { ...process.env, LLNG_DEFAULTCONFFILE: join(folder, 'lemonldap-ng.ini') },
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  );
  const end = () => void child.kill('SIGKILL');
  process.once('exit', end);
  t.after(async () => {
    process.off('exit', end);
    const closed = new Promise((resolve) => child.once('close', resolve));
    end();
    if (child.exitCode === null) await closed;
    await rm(folder, { recursive: true, force: true });
  });
  await waitUntilReady(child, issuer);
  return { issuer };
}

async function writeSettings(folder: string, issuer: string, publicUrl: string): Promise<void> {
  for (const name of ['conf', 'sessions', 'locks', 'cache']) await mkdir(join(folder, name));
  const files = { Directory: join(folder, 'sessions'), LockDirectory: join(folder, 'locks') };
  const cache = { namespace: 'sessions', cache_root: join(folder, 'cache'), cache_depth: 0 };
  const { privateKey, publicKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  const settings = {
    cfgNum: 1,
    cfgAuthor: 'test',
    cfgDate: 1,
    portal: `${issuer}/`,
    domain: '127.0.0.1',
    securedCookie: 0,
    authentication: 'Demo',
    userDB: 'Demo',
    passwordDB: 'Null',
    registerDB: 'Null',
    demoExportedVars: { cn: 'cn', mail: 'mail', uid: 'uid' },
    exportedVars: {},
    macros: { mailIsVerified: '1' },
    locationRules: { '127.0.0.1': { default: 'accept' } },
    exportedHeaders: {},
    globalStorage: 'Apache::Session::File',
    globalStorageOptions: files,
    persistentStorage: 'Apache::Session::File',
    persistentStorageOptions: files,
    localSessionStorage: 'Cache::FileCache',
    localSessionStorageOptions: cache,
    portalDisplayRegister: 0,
    portalDisplayResetPassword: 0,
    // The default needs image libraries, although no form here shows a captcha.
    captcha: '::Main::Plugin',
    requireToken: 0,
    issuerDBOpenIDConnectActivation: 1,
    oidcServiceMetaDataIssuer: issuer,
    oidcServicePrivateKeySig: privateKey,
    oidcServicePublicKeySig: publicKey,
    oidcServiceKeyIdSig: 'lemonldap',
    oidcRPMetaDataExportedVars: {
      sendwell: { name: 'cn', email: 'mail', email_verified: 'mailIsVerified;bool' },
    },
    oidcRPMetaDataOptions: {
      sendwell: {
        oidcRPMetaDataOptionsClientID: LEMONLDAP_CLIENT.clientId,
        oidcRPMetaDataOptionsClientSecret: LEMONLDAP_CLIENT.clientSecret,
        oidcRPMetaDataOptionsIDTokenSignAlg: 'RS256',
        oidcRPMetaDataOptionsRequirePKCE: 1,
        oidcRPMetaDataOptionsBypassConsent: 1,
        oidcRPMetaDataOptionsRedirectUris: publicUrl + SSO_CALLBACK_PATH,
        oidcRPMetaDataOptionsPostLogoutRedirectUris: `${publicUrl}/auth?signed-out`,
      },
    },
  };
  await writeFile(join(folder, 'conf', 'lmConf-1.json'), JSON.stringify(settings));
  const lines = [
    '[all]',
    'logger = Lemonldap::NG::Common::Logger::Std',
    'userLogger = Lemonldap::NG::Common::Logger::Std',
    'logLevel = error',
    '[configuration]',
    'type = File',
    `dirName = ${folder}/conf`,
    'localStorage = Cache::FileCache',
    `localStorageOptions = {namespace => "conf", cache_root => "${folder}/cache", cache_depth => 0}`,
    '[portal]',
    'staticPrefix = /static',
    'templateDir = /usr/share/lemonldap-ng/portal/templates',
    'languages = en',
  ];
  await writeFile(join(folder, 'lemonldap-ng.ini'), `${lines.join('\n')}\n`);
}

async function waitUntilReady(child: ChildProcess, issuer: string): Promise<void> {
  let output = '';
  child.stderr?.on('data', (bytes: Buffer) => {
    output = (output + bytes.toString()).slice(-5_000);
  });
  for (let waitedMs = 0; waitedMs < READY_WITHIN_MS; waitedMs += 100) {
    if (child.exitCode !== null) break;
    const response = await fetch(`${issuer}/.well-known/openid-configuration`).catch(() => undefined);
    if (response?.ok) return;
    await sleep(100);
  }
  throw new Error(`LemonLDAP::NG does not answer: ${output}`);
}

/** Signs in at the portal's form, and returns the query with which the portal sends the browser back. */
export async function signInAtPortal(
  browser: ProviderBrowser,
  url: string,
  login: string,
): Promise<URLSearchParams> {
  const fields = readHiddenFields(await (await browser.fetch(new URL(url))).text());
  const body = new URLSearchParams({ ...fields, user: login, password: login });
  return browser.visit(new URL(url).origin, { method: 'POST', body });
}

/** Confirms on the portal's page that the person wants to sign out. Returns where the portal leads then. */
export async function signOutAtPortal(browser: ProviderBrowser, url: string): Promise<string | null> {
  const fields = readHiddenFields(await (await browser.fetch(new URL(url))).text());
  const answer = await browser.fetch(new URL(url), { method: 'POST', body: new URLSearchParams(fields) });
  return answer.headers.get('location');
}

function readHiddenFields(page: string): Record<string, string> {
  const fields = page.matchAll(/<input type="hidden"[^>]* name="([^"]+)" value="([^"]*)"/g);
  return Object.fromEntries([...fields].map(([, name, value]) => [name!, value!]));
}
