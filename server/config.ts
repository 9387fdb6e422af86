import { resolve } from 'node:path';
import type { z } from 'zod';
import type { RegistrationMode } from '../contracts/accounts/registration.ts';
import { MIB } from '../contracts/values/sizes.ts';
import { Environment, findContradictions } from './environment/variables.ts';
import type { ClamdAddress } from './platform/scanning/clamd.ts';

export type Config = {
  host: string;
  port: number;
  /** The base of every link, without a trailing slash. */
  publicUrl: string;
  /** HSTS also covers subdomains. */
  hstsSubdomains: boolean;
  dataDir: string;
  databaseUrl: string | undefined;
  s3:
    | {
        bucket: string;
        /** Ends with a slash. */
        prefix: string;
        endpoint: string | undefined;
        region: string;
        accessKeyId: string | undefined;
        secretAccessKey: string | undefined;
        forcePathStyle: boolean;
        /** Browsers transfer directly to and from the bucket once that is verified. */
        direct: boolean;
      }
    | undefined;
  smtpUrl: string | undefined;
  /** Except on loopback, refuse to send mail and the password unencrypted. */
  smtpRequireTls: boolean;
  mailFrom: string;
  /** Undefined: read from, or generated in, DATA_DIR. */
  sessionSecret: string | undefined;
  /** Still accepted for data sealed or signed with it. */
  previousSecret: string | undefined;
  firstAdmin: { username: string; email: string; password: string } | undefined;
  /** `off`: administrators assign the plans. */
  payments: 'off' | 'demo' | 'stripe';
  /** Stripe keys are set although Stripe is not used. */
  hasIdleStripeKeys: boolean;
  /** Demo payments, which give away paid plans, run at a public address. */
  isDemoPublic: boolean;
  /** Set exactly if `payments` is 'stripe'. */
  stripe:
    | { secretKey: string; publishableKey: string; webhookSecret: string; apiBase: string | undefined }
    | undefined;
  prioritySupportEmail: string | undefined;
  /** Until an administrator changes it. */
  registration: { mode: RegistrationMode; domains: string[] };
  /** Read-only in the admin area. */
  identityProvider:
    | {
        issuer: string;
        clientId: string;
        clientSecret: string | undefined;
        name: string;
        domains: string[];
        mayCreateAccounts: boolean;
        isRequiredForDomains: boolean;
      }
    | undefined;
  /** Asked for the TXT records that prove domains; undefined: the system's. */
  dnsServers: string[] | undefined;
  /**
   * `basic`: at least 6 characters. `strict`: at least 8, not a common one, and not made of words of the
   * person or the installation.
   */
  passwordPolicy: 'basic' | 'strict';
  /** A sorted file of SHA-1 hashes of breached passwords, refused by `strict`. */
  breachedPasswordsFile: string | undefined;
  /** A .mmdb file of cities. Countries work without one. */
  geoCityFile: string | undefined;
  trustProxy: string[] | ((address: string, hop: number) => boolean) | false;
  /** Without a token, only this machine may read /metrics. */
  metricsToken: string | undefined;
  accessLog: boolean;
  rateLimit: boolean;
  /** Undefined: reread only suspected and damaged files. */
  scrubBytesPerSecond: number | undefined;
  scan:
    | {
        /** The value of SCAN. */
        url: string;
        address: ClamdAddress;
        maxBytes: number;
        /** For files that cannot be scanned. */
        unscanned: 'allow' | 'hold';
      }
    | undefined;
  workers: number;
  /** `*.` matches all subdomains; undefined: every public host. */
  webhookHosts: string[] | undefined;
  /** Also allows plain http. */
  webhookAllowPrivate: boolean;
  logLevel: string;
};

/** One line per mistake. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

export type EnvFile = { path: string; names: ReadonlySet<string> };

/** Parses the environment. Throws ConfigError with one line per mistake. */
export function readConfig(environment: Record<string, string | undefined>, envFile?: EnvFile): Config {
  const result = Environment.safeParse(withoutBlanks(environment));
  const mistakes = result.success
    ? findContradictions(result.data)
    : listMistakes(result.error.issues, (name) => describeSource(name, environment, envFile));
  if (!result.success || mistakes.length > 0) throw new ConfigError(mistakes.join('\n'));
  return toConfig(result.data);
}

function toConfig(env: Environment): Config {
  const publicUrl = (env.PUBLIC_URL ?? `http://localhost:${env.PORT}`).replace(/\/+$/, '');
  const isPublic = !isLoopbackUrl(publicUrl);
  const payments = env.PAYMENTS ?? (env.STRIPE_SECRET_KEY ? 'stripe' : isPublic ? 'off' : 'demo');
  return {
    host: env.HOST,
    port: env.PORT,
    publicUrl,
    hstsSubdomains: env.HSTS_SUBDOMAINS,
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
    previousSecret: env.SESSION_SECRET_PREVIOUS,
    firstAdmin: env.ADMIN_USERNAME
      ? { username: env.ADMIN_USERNAME, email: env.ADMIN_EMAIL!, password: env.ADMIN_PASSWORD! }
      : undefined,
    payments,
    isDemoPublic: payments === 'demo' && isPublic,
    hasIdleStripeKeys: payments !== 'stripe' && env.STRIPE_SECRET_KEY !== undefined,
    stripe:
      payments === 'stripe'
        ? {
            secretKey: env.STRIPE_SECRET_KEY!,
            publishableKey: env.STRIPE_PUBLISHABLE_KEY!,
            webhookSecret: env.STRIPE_WEBHOOK_SECRET!,
            apiBase: env.STRIPE_API_BASE,
          }
        : undefined,
    prioritySupportEmail: env.PRIORITY_SUPPORT_EMAIL,
    registration: { mode: env.REGISTRATION, domains: env.REGISTRATION_DOMAINS ?? [] },
    identityProvider: env.OIDC_ISSUER
      ? {
          issuer: env.OIDC_ISSUER,
          clientId: env.OIDC_CLIENT_ID!,
          clientSecret: env.OIDC_CLIENT_SECRET,
          name: env.OIDC_NAME ?? new URL(env.OIDC_ISSUER).host,
          domains: env.OIDC_DOMAINS ?? [],
          mayCreateAccounts: env.OIDC_CREATE_ACCOUNTS,
          isRequiredForDomains: env.OIDC_REQUIRED,
        }
      : undefined,
    dnsServers: env.OIDC_DNS_SERVERS,
    passwordPolicy: env.PASSWORD_POLICY,
    breachedPasswordsFile: env.BREACHED_PASSWORDS_FILE && resolve(env.BREACHED_PASSWORDS_FILE),
    geoCityFile: env.GEO_CITY_FILE && resolve(env.GEO_CITY_FILE),
    trustProxy: toTrustProxy(env.TRUST_PROXY),
    metricsToken: env.METRICS_TOKEN,
    accessLog: env.ACCESS_LOG,
    rateLimit: env.RATE_LIMIT,
    scrubBytesPerSecond: env.SCRUB_RATE === 'off' ? undefined : Number(env.SCRUB_RATE) * MIB,
    scan: env.SCAN && {
      ...env.SCAN,
      maxBytes: env.SCAN_MAX_SIZE * MIB,
      unscanned: env.SCAN_UNSCANNED,
    },
    workers: env.WORKERS,
    webhookHosts: env.WEBHOOK_HOSTS,
    webhookAllowPrivate: env.WEBHOOK_ALLOW_PRIVATE,
    logLevel: env.LOG_LEVEL,
  };
}

/** Valid but risky settings, one sentence each. */
export function findConfigWarnings(config: Config): string[] {
  const { host, payments, publicUrl, isDemoPublic, hasIdleStripeKeys } = config;
  const plainHttp =
    `HOST=${host} accepts connections from other machines, but ${publicUrl} is not https: passwords, cookies and ` +
    'files travel unencrypted. Put an https proxy in front of the server, set PUBLIC_URL to its https:// address, ' +
    'and let only the proxy reach the port.';
  const demo =
    `PAYMENTS=demo at ${publicUrl}: anybody can get a paid plan for nothing with a demo card. ` +
    'Set PAYMENTS=off or the keys of Stripe.';
  const stripe =
    `PAYMENTS=${payments} although keys of Stripe are set: running subscriptions are no longer read, and Stripe ` +
    'keeps charging them until you cancel them there.';
  return [
    !isLoopback(host) && !publicUrl.startsWith('https:') && plainHttp,
    isDemoPublic && demo,
    hasIdleStripeKeys && stripe,
  ].filter((warning) => warning !== false);
}

/** True if the URL points to the machine that opens it. */
export function isLoopbackUrl(url: string): boolean {
  return isLoopback(new URL(url).hostname.replace(/^\[|\]$/g, ''));
}

function isLoopback(host: string): boolean {
  return host === '::1' || /^(localhost|.+\.localhost|127(\.\d+){3})$/.test(host);
}

/** 'off', a number of proxy hops, or a comma-separated list of addresses and CIDRs. */
function toTrustProxy(value: string): Config['trustProxy'] {
  if (value === 'off') return false;
  const hops = Number(value);
  if (Number.isInteger(hops)) return hops > 0 && ((_address, hop) => hop < hops);
  return value.split(',').map((part) => part.trim());
}

/** One sentence per variable. */
function listMistakes(issues: z.core.$ZodIssue[], describe: (name: string) => string): string[] {
  const sentences = new Map<string, string>();
  for (const { path, message } of issues) {
    const name = String(path[0]);
    if (!sentences.has(name)) sentences.set(name, `${describe(name)} ${message}.`);
  }
  return [...sentences.values()];
}

function describeSource(
  name: string,
  environment: Record<string, string | undefined>,
  envFile: EnvFile | undefined,
): string {
  const file = environment[`${name}_FILE`];
  if (file) return `${name} (from ${file})`;
  return envFile?.names.has(name) ? `${name} (in ${envFile.path})` : name;
}

function withoutBlanks(environment: Record<string, string | undefined>) {
  return Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
}
