import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { z } from 'zod';
import { isEmail } from '../contracts/common.ts';
import { MIB } from '../contracts/sizes.ts';

const port = z.coerce.number().int().min(0).max(65_535);
const workersError = 'must be a whole number from 1 to 64';
const workers = z.coerce.number(workersError).int(workersError).min(1, workersError).max(64, workersError);
const optional = z.string().min(1).optional();
const onOff = z.enum(['on', 'off']).transform((value) => value === 'on');

/** The environment as `decisions.md` ("Configuration") and `.env.example` list it. */
export const Environment = z.object({
  HOST: z.string().min(1).default('127.0.0.1'),
  PORT: port.default(3000),
  PUBLIC_URL: z.url({ protocol: /^https?$/, error: 'must be an http:// or https:// address' }).optional(),
  DATA_DIR: z.string().min(1).default('./data'),
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/, error: 'must be a postgres:// address' }).optional(),
  S3_BUCKET: optional,
  S3_PREFIX: z
    .string()
    .refine(isPrefix, 'must be a folder such as blobs/ or team-a/files/ (letters, digits, . _ - and /)')
    .default('blobs/')
    .transform((prefix) => prefix.replace(/\/?$/, '/')),
  S3_ENDPOINT: z.url({ protocol: /^https?$/ }).optional(),
  S3_REGION: z.string().min(1).default('us-east-1'),
  S3_ACCESS_KEY_ID: optional,
  S3_SECRET_ACCESS_KEY: optional,
  S3_FORCE_PATH_STYLE: onOff.default(false),
  S3_DIRECT: onOff.default(false),
  SMTP_URL: z.url({ protocol: /^smtps?$/, error: 'must be an smtp:// or smtps:// address' }).optional(),
  SMTP_REQUIRE_TLS: onOff.default(true),
  MAIL_FROM: z.string().min(1).default('Sendwell <no-reply@localhost>'),
  SESSION_SECRET: z.string().min(32, 'must have at least 32 characters').optional(),
  ADMIN_USERNAME: z
    .string()
    .regex(/^[a-z0-9._-]{3,32}$/i, 'must be 3 to 32 of a-z 0-9 . _ -')
    .optional(),
  ADMIN_EMAIL: z.string().refine(isEmail, 'must be an e-mail address').optional(),
  ADMIN_PASSWORD: z.string().min(6, 'must have at least 6 characters').max(200).optional(),
  STRIPE_SECRET_KEY: optional,
  STRIPE_PUBLISHABLE_KEY: optional,
  STRIPE_WEBHOOK_SECRET: optional,
  STRIPE_API_BASE: z
    .url({ protocol: /^https?$/, error: 'must be an http:// or https:// address' })
    .optional(),
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
  WORKERS: workers.default(1),
  WEBHOOK_ALLOW_PRIVATE: onOff.default(false),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
});

export type Config = {
  host: string;
  port: number;
  /** Without a trailing slash: the address in every link. */
  publicUrl: string;
  dataDir: string;
  databaseUrl: string | undefined;
  s3:
    | {
        bucket: string;
        /** What all keys begin with; ends with a slash. */
        prefix: string;
        endpoint: string | undefined;
        region: string;
        accessKeyId: string | undefined;
        secretAccessKey: string | undefined;
        forcePathStyle: boolean;
        /** Browsers send to and read from the bucket themselves, once that is proved to work. */
        direct: boolean;
      }
    | undefined;
  smtpUrl: string | undefined;
  /** Off loopback, mails and the password are sent encrypted or not at all. */
  smtpRequireTls: boolean;
  mailFrom: string;
  /** undefined: read from, or generated into, DATA_DIR. */
  sessionSecret: string | undefined;
  firstAdmin: { username: string; email: string; password: string } | undefined;
  /** undefined: the built-in demo provider. */
  stripe:
    | { secretKey: string; publishableKey: string; webhookSecret: string; apiBase: string | undefined }
    | undefined;
  /** A .mmdb file of cities; countries need none. */
  geoCityFile: string | undefined;
  trustProxy: string[] | ((address: string, hop: number) => boolean) | false;
  /** What /metrics asks for; undefined: it answers this machine only. */
  metricsToken: string | undefined;
  /** Each request is a line of the log. */
  accessLog: boolean;
  rateLimit: boolean;
  /** How fast stored files are read again; undefined: only suspected and damaged ones are. */
  scrubBytesPerSecond: number | undefined;
  /** Server processes that share the port. */
  workers: number;
  /** Webhooks may name hosts of private networks, and plain http. */
  webhookAllowPrivate: boolean;
  logLevel: string;
};

/** Every mistake in the environment at once, one clear line each. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

/** Strings to meaning. Throws ConfigError. */
export function readConfig(environment: Record<string, string | undefined>): Config {
  const result = Environment.safeParse(withoutBlanks(environment));
  const mistakes = result.success ? findContradictions(result.data) : result.error.issues.map(describe);
  if (!result.success || mistakes.length > 0) throw new ConfigError(mistakes.join('\n'));
  return toConfig(result.data);
}

function toConfig(env: z.output<typeof Environment>): Config {
  return {
    host: env.HOST,
    port: env.PORT,
    publicUrl: (env.PUBLIC_URL ?? `http://localhost:${env.PORT}`).replace(/\/+$/, ''),
    dataDir: resolve(env.DATA_DIR),
    databaseUrl: env.DATABASE_URL,
    s3: env.S3_BUCKET
      ? {
          bucket: env.S3_BUCKET,
          prefix: env.S3_PREFIX,
          endpoint: env.S3_ENDPOINT,
          region: env.S3_REGION,
          accessKeyId: env.S3_ACCESS_KEY_ID,
          secretAccessKey: env.S3_SECRET_ACCESS_KEY,
          forcePathStyle: env.S3_FORCE_PATH_STYLE,
          direct: env.S3_DIRECT,
        }
      : undefined,
    smtpUrl: env.SMTP_URL,
    smtpRequireTls: env.SMTP_REQUIRE_TLS,
    mailFrom: env.MAIL_FROM,
    sessionSecret: env.SESSION_SECRET,
    firstAdmin: env.ADMIN_USERNAME
      ? { username: env.ADMIN_USERNAME, email: env.ADMIN_EMAIL!, password: env.ADMIN_PASSWORD! }
      : undefined,
    stripe: env.STRIPE_SECRET_KEY
      ? {
          secretKey: env.STRIPE_SECRET_KEY,
          publishableKey: env.STRIPE_PUBLISHABLE_KEY!,
          webhookSecret: env.STRIPE_WEBHOOK_SECRET!,
          apiBase: env.STRIPE_API_BASE,
        }
      : undefined,
    geoCityFile: env.GEO_CITY_FILE && resolve(env.GEO_CITY_FILE),
    trustProxy: toTrustProxy(env.TRUST_PROXY),
    metricsToken: env.METRICS_TOKEN,
    accessLog: env.ACCESS_LOG,
    rateLimit: env.RATE_LIMIT,
    scrubBytesPerSecond: env.SCRUB_RATE === 'off' ? undefined : Number(env.SCRUB_RATE) * MIB,
    workers: env.WORKERS,
    webhookAllowPrivate: env.WEBHOOK_ALLOW_PRIVATE,
    logLevel: env.LOG_LEVEL,
  };
}

function findContradictions(env: z.output<typeof Environment>): string[] {
  const admin = [env.ADMIN_USERNAME, env.ADMIN_EMAIL, env.ADMIN_PASSWORD].filter(Boolean).length;
  const stripe = [env.STRIPE_SECRET_KEY, env.STRIPE_PUBLISHABLE_KEY, env.STRIPE_WEBHOOK_SECRET];
  const stripeKeys = stripe.filter(Boolean).length;
  const keys = [env.S3_ACCESS_KEY_ID, env.S3_SECRET_ACCESS_KEY].filter(Boolean).length;
  return [
    admin % 3 !== 0 && 'ADMIN_USERNAME, ADMIN_EMAIL and ADMIN_PASSWORD go together: set all three or none.',
    keys === 1 && 'S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY go together: set both or none.',
    stripeKeys % 3 !== 0 &&
      'STRIPE_SECRET_KEY, STRIPE_PUBLISHABLE_KEY and STRIPE_WEBHOOK_SECRET go together: set all three or none.',
    !env.S3_BUCKET &&
      (env.S3_ENDPOINT || keys > 0 || env.S3_DIRECT) &&
      'S3_BUCKET is missing, but other S3_ settings are there.',
  ].filter((mistake) => typeof mistake === 'string');
}

function isPrefix(value: string): boolean {
  const folders = value.replace(/\/$/, '').split('/');
  return value.length <= 200 && folders.every((folder) => /^[\w.-]+$/.test(folder) && !/^\.+$/.test(folder));
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
  return /^\d{1,3}$/.test(text) && Number(text) <= most;
}

/** 'off', a number of proxy hops, or a comma-separated list of addresses and CIDRs. */
function toTrustProxy(value: string): Config['trustProxy'] {
  if (value === 'off') return false;
  const hops = Number(value);
  if (Number.isInteger(hops)) return hops > 0 && ((_address, hop) => hop < hops);
  return value.split(',').map((part) => part.trim());
}

function describe(issue: z.core.$ZodIssue): string {
  return `${issue.path.join('.')} ${issue.message}.`;
}

function withoutBlanks(environment: Record<string, string | undefined>) {
  return Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
}
