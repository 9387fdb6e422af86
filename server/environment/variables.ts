import { isIP } from 'node:net';
import { z } from 'zod';
import { MailDomains, REGISTRATION_MODES } from '../../contracts/accounts/registration.ts';
import { ClientId, Issuer, PROVIDER_NAME_MAX } from '../../contracts/admin/identity-providers.ts';
import { isEmail } from '../../contracts/values/fields.ts';
import type { ClamdAddress } from '../platform/scanning/clamd.ts';

const optional = z.string().min(1).optional();
const onOff = z.enum(['on', 'off'], 'must be on or off').transform((value) => value === 'on');
const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

function wholeNumber(least: number, most: number) {
  return z
    .string()
    .refine(
      (text) => isWholeUpTo(text, most) && Number(text) >= least,
      `must be a whole number from ${least} to ${most}`,
    )
    .transform(Number);
}

function webAddress() {
  return z.url({ protocol: /^https?$/, error: 'must be an http:// or https:// address' });
}

function mailDomains() {
  return z
    .string()
    .transform((text) => text.split(',').filter((domain) => domain.trim() !== ''))
    .refine(
      (domains) => MailDomains.safeParse(domains).success,
      'must be domains such as example.org, separated by commas',
    )
    .transform((domains) => MailDomains.parse(domains));
}

/** The variables that `.env.example` describes. Messages complete a sentence that begins with the name. */
export const Environment = z.object({
  HOST: z
    .string()
    .refine(isHost, 'must be an IP address or a host name, such as 127.0.0.1 or 0.0.0.0')
    .default('127.0.0.1'),
  PORT: wholeNumber(0, 65_535).default(3000),
  PUBLIC_URL: webAddress().optional(),
  HSTS_SUBDOMAINS: onOff.default(false),
  DATA_DIR: z.string().min(1).default('./data'),
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/, error: 'must be a postgres:// address' }).optional(),
  S3_BUCKET: optional,
  S3_PREFIX: z
    .string()
    .refine(isPrefix, 'must be a folder such as blobs/ or team-a/files/ (letters, digits, . _ - and /)')
    .default('blobs/')
    .transform((prefix) => prefix.replace(/\/?$/, '/')),
  S3_ENDPOINT: webAddress().optional(),
  S3_REGION: z.string().min(1).default('us-east-1'),
  S3_ACCESS_KEY_ID: optional,
  S3_SECRET_ACCESS_KEY: optional,
  S3_FORCE_PATH_STYLE: onOff.default(false),
  S3_DIRECT: onOff.default(false),
  SMTP_URL: z.url({ protocol: /^smtps?$/, error: 'must be an smtp:// or smtps:// address' }).optional(),
  SMTP_REQUIRE_TLS: onOff.default(true),
  MAIL_FROM: z.string().min(1).default('Sendwell <no-reply@localhost>'),
  SESSION_SECRET: z.string().min(32, 'must have at least 32 characters').optional(),
  SESSION_SECRET_PREVIOUS: z.string().min(32, 'must have at least 32 characters').optional(),
  ADMIN_USERNAME: z
    .string()
    .regex(/^[a-z0-9._-]{3,32}$/i, 'must be 3 to 32 of a-z 0-9 . _ -')
    .optional(),
  ADMIN_EMAIL: z.string().refine(isEmail, 'must be an email address').optional(),
  ADMIN_PASSWORD: z
    .string()
    .min(6, 'must have at least 6 characters')
    .max(200, 'must have at most 200 characters')
    .optional(),
  PAYMENTS: z.enum(['off', 'demo', 'stripe'], 'must be off, demo or stripe').optional(),
  STRIPE_SECRET_KEY: optional,
  STRIPE_PUBLISHABLE_KEY: optional,
  STRIPE_WEBHOOK_SECRET: optional,
  STRIPE_API_BASE: webAddress().optional(),
  PRIORITY_SUPPORT_EMAIL: z.string().refine(isEmail, 'must be an email address').optional(),
  REGISTRATION: z.enum(REGISTRATION_MODES, `must be one of ${REGISTRATION_MODES.join(', ')}`).default('open'),
  REGISTRATION_DOMAINS: mailDomains().optional(),
  OIDC_ISSUER: z
    .string()
    .refine(
      (text) => Issuer.safeParse(text).success,
      'must be the issuer of an OpenID Connect provider, such as https://login.example.org',
    )
    .optional(),
  OIDC_CLIENT_ID: z
    .string()
    .refine((text) => ClientId.safeParse(text).success, 'must be visible ASCII characters')
    .optional(),
  OIDC_CLIENT_SECRET: optional,
  OIDC_NAME: z
    .string()
    .trim()
    .max(PROVIDER_NAME_MAX, `must have at most ${PROVIDER_NAME_MAX} characters`)
    .optional(),
  OIDC_DOMAINS: mailDomains().optional(),
  OIDC_CREATE_ACCOUNTS: onOff.default(false),
  OIDC_REQUIRED: onOff.default(false),
  OIDC_DNS_SERVERS: z
    .string()
    .transform((text) => text.split(',').map((address) => address.trim()))
    .refine(
      (addresses) => addresses.every(isDnsServer),
      'must be IP addresses, with or without a port, separated by commas',
    )
    .optional(),
  PASSWORD_POLICY: z.enum(['basic', 'strict'], 'must be basic or strict').default('basic'),
  BREACHED_PASSWORDS_FILE: optional,
  GEO_CITY_FILE: optional,
  TRUST_PROXY: z
    .string()
    .refine(isTrustProxy, 'must be off, a number of hops, or addresses and CIDRs separated by commas')
    .default('off'),
  METRICS_TOKEN: z.string().min(16, 'must have at least 16 characters').optional(),
  ACCESS_LOG: onOff.default(false),
  RATE_LIMIT: onOff.default(true),
  SCRUB_RATE: z
    .string()
    .regex(/^(off|[1-9]\d{0,4})$/, 'must be off, or MiB per second as a whole number from 1 to 99999')
    .default('20'),
  SCAN: z
    .string()
    .refine(isScanAddress, 'must be clamd://host:port or clamd:///path/to/clamd.sock')
    .transform(toScanAddress)
    .optional(),
  // clamd's own limit is below 4 GiB.
  SCAN_MAX_SIZE: wholeNumber(1, 4000).default(100),
  SCAN_UNSCANNED: z.enum(['allow', 'hold'], 'must be allow or hold').default('allow'),
  WORKERS: wholeNumber(1, 64).default(1),
  WEBHOOK_HOSTS: z
    .string()
    .transform((text) => text.split(',').map((host) => host.trim().toLowerCase()))
    .refine(
      (hosts) => hosts.every(isHostPattern),
      'must be host names such as hooks.example.org or *.example.com, separated by commas',
    )
    .optional(),
  WEBHOOK_ALLOW_PRIVATE: onOff.default(false),
  LOG_LEVEL: z.enum(LOG_LEVELS, `must be one of ${LOG_LEVELS.join(', ')}`).default('info'),
});

export type Environment = z.output<typeof Environment>;

/** Of variables that are valid by themselves: one sentence per contradiction. */
export function findContradictions(env: Environment): string[] {
  const admin = [env.ADMIN_USERNAME, env.ADMIN_EMAIL, env.ADMIN_PASSWORD].filter(Boolean).length;
  const stripe = [env.STRIPE_SECRET_KEY, env.STRIPE_PUBLISHABLE_KEY, env.STRIPE_WEBHOOK_SECRET];
  const stripeKeys = stripe.filter(Boolean).length;
  const keys = [env.S3_ACCESS_KEY_ID, env.S3_SECRET_ACCESS_KEY].filter(Boolean).length;
  return [
    admin % 3 !== 0 && 'ADMIN_USERNAME, ADMIN_EMAIL and ADMIN_PASSWORD go together: set all three or none.',
    keys === 1 && 'S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY go together: set both or none.',
    stripeKeys % 3 !== 0 &&
      'STRIPE_SECRET_KEY, STRIPE_PUBLISHABLE_KEY and STRIPE_WEBHOOK_SECRET go together: set all three or none.',
    env.PAYMENTS === 'stripe' &&
      stripeKeys === 0 &&
      'PAYMENTS=stripe needs STRIPE_SECRET_KEY, STRIPE_PUBLISHABLE_KEY and STRIPE_WEBHOOK_SECRET.',
    env.SESSION_SECRET_PREVIOUS &&
      !env.SESSION_SECRET &&
      'SESSION_SECRET_PREVIOUS needs the new secret in SESSION_SECRET.',
    env.SESSION_SECRET_PREVIOUS &&
      env.SESSION_SECRET_PREVIOUS === env.SESSION_SECRET &&
      'SESSION_SECRET and SESSION_SECRET_PREVIOUS are the same: give the old one as SESSION_SECRET_PREVIOUS.',
    env.BREACHED_PASSWORDS_FILE &&
      env.PASSWORD_POLICY !== 'strict' &&
      'BREACHED_PASSWORDS_FILE needs PASSWORD_POLICY=strict.',
    env.REGISTRATION === 'domains' &&
      !env.REGISTRATION_DOMAINS?.length &&
      'REGISTRATION=domains needs REGISTRATION_DOMAINS, for example example.org,example.com.',
    ...findSsoContradictions(env),
    env.HSTS_SUBDOMAINS &&
      !env.PUBLIC_URL?.startsWith('https:') &&
      'HSTS_SUBDOMAINS is on, but PUBLIC_URL does not begin with https://.',
    !env.S3_BUCKET &&
      (env.S3_ENDPOINT || keys > 0 || env.S3_DIRECT) &&
      'S3_BUCKET is missing, but other S3_ settings are there.',
  ].filter((mistake) => typeof mistake === 'string');
}

function findSsoContradictions(env: Environment): (string | false | undefined)[] {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId } = env;
  return [
    Boolean(issuer) !== Boolean(clientId) && 'OIDC_ISSUER and OIDC_CLIENT_ID go together: set both or none.',
    !issuer &&
      (env.OIDC_CLIENT_SECRET || env.OIDC_NAME || env.OIDC_DOMAINS || env.OIDC_CREATE_ACCOUNTS) &&
      'OIDC_ISSUER is missing, but other OIDC_ settings are there.',
    env.OIDC_REQUIRED &&
      !(issuer && env.OIDC_DOMAINS?.length) &&
      'OIDC_REQUIRED needs OIDC_ISSUER and OIDC_DOMAINS, for example example.org.',
    issuer?.startsWith('http:') &&
      env.PUBLIC_URL?.startsWith('https:') &&
      'OIDC_ISSUER must begin with https:// because PUBLIC_URL does.',
  ];
}

function isPrefix(value: string): boolean {
  const folders = value.replace(/\/$/, '').split('/');
  return value.length <= 200 && folders.every((folder) => /^[\w.-]+$/.test(folder) && !/^\.+$/.test(folder));
}

function isScanAddress(value: string): boolean {
  const url = URL.parse(value);
  if (url?.protocol !== 'clamd:' || url.username || url.search || url.hash) return false;
  const isPath = url.host === '' && url.pathname.length > 1;
  return isPath || (url.hostname !== '' && url.port !== '' && /^\/?$/.test(url.pathname));
}

function toScanAddress(value: string): { url: string; address: ClamdAddress } {
  const { hostname, port: portText, pathname } = new URL(value);
  const address = hostname
    ? { host: hostname.replace(/^\[|\]$/g, ''), port: Number(portText) }
    : { path: decodeURIComponent(pathname) };
  return { url: value, address };
}

function isTrustProxy(value: string): boolean {
  if (value === 'off' || /^\d+$/.test(value)) return true;
  return value.split(',').every((part) => {
    const [address = '', bits, ...rest] = part.trim().split('/');
    const longest = isIP(address) === 6 ? 128 : 32;
    return isIP(address) > 0 && rest.length === 0 && (bits === undefined || isWholeUpTo(bits, longest));
  });
}

function isWholeUpTo(text: string, most: number): boolean {
  return /^\d{1,5}$/.test(text) && Number(text) <= most;
}

function isHostPattern(value: string): boolean {
  const host = value.replace(/^\*\./, '');
  return isIP(host) > 0 ? host === value : /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/.test(host);
}

function isHost(value: string): boolean {
  return isIP(value) > 0 || /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(value);
}

/** `192.0.2.1`, `192.0.2.1:5353`, `2001:db8::1`, `[2001:db8::1]:5353` */
function isDnsServer(value: string): boolean {
  const [, address = value] = /^\[?([^\]]+?)\]?:\d{1,5}$/.exec(value) ?? [];
  return isIP(value) > 0 || isIP(address) > 0;
}
