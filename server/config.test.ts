import assert from 'node:assert/strict';
import test from 'node:test';
import { ConfigError, findConfigWarnings, isLoopbackUrl, readConfig } from './config.ts';
import { Environment } from './environment/variables.ts';

/** Each is invalid for some variable. No message may contain words of the schema library. */
const WRONG_VALUES = ['loud', '-1', '99999999', '3.5', 'ftp://x', 'x', '{}', 'a b', 'x'.repeat(300)];
const SCHEMA_WORDS =
  /invalid (?:input|option|string|url)|expected|received|too (?:big|small)|zod|NaN|undefined/i;

function linesOf(environment: Record<string, string>): string[] {
  try {
    readConfig(environment);
    return [];
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.message.split('\n');
  }
}

test('an invalid value of any variable is reported in one line that begins with its name', () => {
  const refused = new Set<string>();
  for (const name of Object.keys(Environment.shape))
    for (const value of WRONG_VALUES)
      for (const line of linesOf({ [name]: value })) {
        refused.add(name);
        assert.match(line, /^[A-Z0-9_]+,? .+\.$/, line);
        assert.doesNotMatch(line, SCHEMA_WORDS, line);
      }
  for (const name of ['HOST', 'PORT', 'PUBLIC_URL', 'S3_ENDPOINT', 'S3_DIRECT', 'WORKERS', 'LOG_LEVEL'])
    assert.ok(refused.has(name), name);
});

test('each variable is reported once, however many mistakes it has', () => {
  assert.deepEqual(linesOf({ PORT: '70000', LOG_LEVEL: 'loud', RATE_LIMIT: 'yes', S3_ENDPOINT: 'x' }), [
    'PORT must be a whole number from 0 to 65535.',
    'S3_ENDPOINT must be an http:// or https:// address.',
    'RATE_LIMIT must be on or off.',
    'LOG_LEVEL must be one of fatal, error, warn, info, debug, trace, silent.',
  ]);
});

test('the message names the file that a value came from', () => {
  const secret = { SMTP_URL: 'mail.example.org', SMTP_URL_FILE: '/run/secrets/smtp' };
  assert.deepEqual(linesOf(secret), [
    'SMTP_URL (from /run/secrets/smtp) must be an smtp:// or smtps:// address.',
  ]);
  const envFile = { path: '.env', names: new Set(['PORT']) };
  assert.throws(() => readConfig({ PORT: 'x', WORKERS: '0' }, envFile), {
    message:
      'PORT (in .env) must be a whole number from 0 to 65535.\nWORKERS must be a whole number from 1 to 64.',
  });
});

test('HSTS for subdomains needs https', () => {
  assert.deepEqual(linesOf({ HSTS_SUBDOMAINS: 'on' }), [
    'HSTS_SUBDOMAINS is on, but PUBLIC_URL does not begin with https://.',
  ]);
  assert.deepEqual(linesOf({ HSTS_SUBDOMAINS: 'on', PUBLIC_URL: 'https://files.example.org' }), []);
});

test('the previous secret needs a new one, and breached passwords the strict policy', () => {
  const [old, other] = ['o'.repeat(32), 'n'.repeat(32)];
  assert.deepEqual(linesOf({ SESSION_SECRET_PREVIOUS: old }), [
    'SESSION_SECRET_PREVIOUS needs the new secret in SESSION_SECRET.',
  ]);
  assert.equal(linesOf({ SESSION_SECRET: old, SESSION_SECRET_PREVIOUS: old }).length, 1);
  assert.deepEqual(linesOf({ SESSION_SECRET: other, SESSION_SECRET_PREVIOUS: old }), []);
  assert.deepEqual(linesOf({ BREACHED_PASSWORDS_FILE: 'pwned.txt' }), [
    'BREACHED_PASSWORDS_FILE needs PASSWORD_POLICY=strict.',
  ]);
});

test('WEBHOOK_HOSTS accepts names and wildcards, without schemes and ports', () => {
  const { webhookHosts } = readConfig({ WEBHOOK_HOSTS: 'Hooks.example.org, *.example.com,192.0.2.1' });
  assert.deepEqual(webhookHosts, ['hooks.example.org', '*.example.com', '192.0.2.1']);
  for (const wrong of [
    'https://example.org',
    'example.org:443',
    '*',
    '*.',
    'a.*.org',
    '*.192.0.2.1',
    'a b',
    'a,,b',
  ])
    assert.equal(linesOf({ WEBHOOK_HOSTS: wrong }).length, 1, wrong);
});

test('warns about a server that others reach without https', () => {
  const warningsOf = (environment: Record<string, string>) =>
    findConfigWarnings(readConfig(environment)).length;
  assert.equal(warningsOf({}), 0);
  assert.equal(warningsOf({ HOST: 'localhost' }), 0);
  assert.equal(warningsOf({ HOST: '::1' }), 0);
  assert.equal(warningsOf({ HOST: '0.0.0.0', PUBLIC_URL: 'https://files.example.org' }), 0);
  assert.equal(warningsOf({ HOST: '0.0.0.0' }), 1);
  assert.equal(warningsOf({ HOST: '192.0.2.7', PUBLIC_URL: 'http://files.example.org' }), 1);
});

test('recognizes loopback URLs', () => {
  for (const url of ['http://localhost:3000', 'https://127.0.0.1', 'http://[::1]:3000'])
    assert.equal(isLoopbackUrl(url), true, url);
  for (const url of ['https://files.example.org', 'http://192.168.1.5:3000', 'http://localhost.example.org'])
    assert.equal(isLoopbackUrl(url), false, url);
});
