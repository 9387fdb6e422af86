import { isIP } from 'node:net';
import { DAY_MS } from '../../../../../contracts/values/durations.ts';
import { formatSize } from '../../../../../contracts/values/sizes.ts';
import type { Context } from '../../../../context.ts';
import { describeSandbox } from '../../../../platform/images/find-sandbox.ts';
import { systemClock } from '../../../../platform/lib/clock.ts';
import { maySendUnencrypted, TlsMissingError } from '../../../../platform/mail/mailer.ts';
import type { Clamd } from '../../../../platform/scanning/clamd.ts';
import { type Check, reasonOf } from './check.ts';

const OLD_DATABASE_DAYS = 7;

const SANDBOX_FIX =
  'Install bubblewrap (Debian: apt-get install bubblewrap) and start the server again. In a container, also allow user namespaces: see "Sandbox for decoders" in docs/self-hosting.md.';

/** Connects to the mail server without sending a mail. */
export function checkMailServer({ mailer, config }: Pick<Context, 'mailer' | 'config'>): Check {
  const server = config.smtpUrl ? new URL(config.smtpUrl).host : '';
  return {
    name: 'smtp',
    title: 'Mail server',
    run: async () => {
      if (mailer.keepsMails) {
        return {
          state: 'warning',
          found: 'None is configured: mails stay in the outbox and are printed to the log.',
          fix: 'Set SMTP_URL (smtp://user:password@host:587) and MAIL_FROM, and start the server again.',
        };
      }
      await mailer.verify();
      if (config.smtpUrl && !config.smtpRequireTls && maySendUnencrypted(config.smtpUrl)) {
        return {
          state: 'warning',
          found: `${server} accepts our login, but mails and the password may travel unencrypted.`,
          fix: 'Remove SMTP_REQUIRE_TLS=off if the mail server offers STARTTLS, or use smtps://.',
        };
      }
      return { state: 'ok', found: `${server} greets us and lets us in.` };
    },
    fixOf: (error) => fixForMail(error, server),
  };
}

function fixForMail(error: unknown, server: string): string {
  const code = (error as { code?: unknown } | null)?.code;
  const reason = reasonOf(error);
  if (error instanceof TlsMissingError)
    return 'Use a server or port that offers STARTTLS, or smtps:// for port 465. SMTP_REQUIRE_TLS=off sends mails and the password unencrypted.';
  if (code === 'EAUTH') return 'The user or the password in SMTP_URL is refused: set the right ones.';
  if (code === 'EDNS' || /ENOTFOUND|EAI_AGAIN/.test(reason)) {
    return `The name in SMTP_URL (${server}) is unknown: correct it, or the name server of this machine.`;
  }
  if (/ECONNREFUSED/.test(reason)) {
    return `Nothing listens at ${server}: correct host and port in SMTP_URL, or start the mail server.`;
  }
  if (/certificate|self.signed|TLS|SSL/i.test(reason)) {
    return `The encryption with ${server} fails: use smtps:// for port 465 and smtp:// for 587, and a name its certificate is for.`;
  }
  return `${server} is not reached: see that SMTP_URL is right and that no firewall blocks the way out to its port.`;
}

/** Browsers offer passkeys on https and on localhost, and only for host names (WebAuthn, section 5.1.3). */
export function checkPasskeys({ publicUrl }: Pick<Context['config'], 'publicUrl'>): Check {
  const { protocol, hostname } = new URL(publicUrl);
  const fix = 'Set PUBLIC_URL to the https:// address of this server with its host name, and start it again.';
  return {
    name: 'passkeys',
    title: 'Passkeys',
    run: async () => {
      if (isIP(hostname.replace(/^\[|\]$/g, '')) > 0)
        return {
          state: 'warning',
          found: `Passkeys need a host name, and ${publicUrl} has an IP address.`,
          fix,
        };
      if (protocol !== 'https:' && hostname !== 'localhost' && !hostname.endsWith('.localhost'))
        return { state: 'warning', found: `Passkeys need https, and ${publicUrl} is not https.`, fix };
      return { state: 'ok', found: `Passkeys belong to ${hostname}.` };
    },
    fixOf: () => fix,
  };
}

export function checkScanner(
  scanner: Clamd,
  { url, maxBytes }: NonNullable<Context['config']['scan']>,
): Check {
  return {
    name: 'scanner',
    title: 'Virus scanner',
    run: async () => {
      const version = await scanner.version();
      const signaturesAt = readDatabaseTime(version);
      const found = `${version} answers at ${url}.`;
      if (await scanner.exceedsStreamLimit(maxBytes)) {
        return {
          state: 'warning',
          found: `${found} It refuses files of ${formatSize(maxBytes)}, which is SCAN_MAX_SIZE.`,
          fix: 'Raise StreamMaxLength, MaxFileSize and MaxScanSize in clamd.conf to SCAN_MAX_SIZE, or lower that.',
        };
      }
      if (signaturesAt === undefined) {
        return {
          state: 'warning',
          found: `${found} It does not say how old its virus signatures are.`,
          fix: 'Check that freshclam runs, so that the scanner knows new viruses.',
        };
      }
      const days = Math.floor((systemClock.now() - signaturesAt) / DAY_MS);
      if (days < OLD_DATABASE_DAYS) return { state: 'ok', found };
      return {
        state: 'warning',
        found: `${found} Its virus signatures are ${days} days old.`,
        fix: 'Check that freshclam runs and reaches the internet.',
      };
    },
    fixOf: () => `Start clamd at ${url}, or correct SCAN. Until then, files that are sent wait.`,
  };
}

/** Parses the date in `ClamAV 1.4.3/27700/Mon Jul 14 08:27:01 2025`. */
function readDatabaseTime(version: string): number | undefined {
  const time = Date.parse(version.split('/')[2] ?? '');
  return Number.isNaN(time) ? undefined : time;
}

export function checkPayments({ config }: Pick<Context, 'config'>): Check {
  return {
    name: 'payments',
    title: 'Payments',
    run: async () => {
      if (config.payments === 'off')
        return { state: 'ok', found: 'Payments are off: administrators assign the plans.' };
      if (config.isDemoPublic) {
        return {
          state: 'warning',
          found: 'The demo takes the payments at a public address: anybody can get a paid plan for nothing.',
          fix: 'Set PAYMENTS=off or the keys of Stripe, and start the server again.',
        };
      }
      if (!config.stripe) {
        return {
          state: 'warning',
          found: 'The built-in demo takes the payments: no money moves.',
          fix: 'Set STRIPE_SECRET_KEY, STRIPE_PUBLISHABLE_KEY and STRIPE_WEBHOOK_SECRET, and start the server again.',
        };
      }
      if (/^(sk|rk)_test_/.test(config.stripe.secretKey)) {
        return {
          state: 'warning',
          found: 'Stripe takes the payments in its test mode: no money moves.',
          fix: 'Set the live keys of Stripe in STRIPE_SECRET_KEY, STRIPE_PUBLISHABLE_KEY and STRIPE_WEBHOOK_SECRET.',
        };
      }
      return { state: 'ok', found: 'Stripe takes the payments.' };
    },
    fixOf: () => 'Check the STRIPE_ settings.',
  };
}

export function checkSandbox({ images }: Pick<Context, 'images'>): Check {
  return {
    name: 'sandbox',
    title: 'Sandbox for decoders',
    run: async () => {
      const search = await images.findSandbox();
      const { strength, sentence, reasons } = describeSandbox(search);
      const found = [`${strength[0]!.toUpperCase()}${strength.slice(1)}: ${sentence}`, reasons].filter(
        Boolean,
      );
      if (!search.sandbox) return { state: 'failed', found: found.join(' '), fix: SANDBOX_FIX };
      if (search.sandbox.hasNamespaces) return { state: 'ok', found: found[0]! };
      return {
        state: 'warning',
        found: `${found[0]} Stronger ones do not work here (${reasons}).`,
        fix: SANDBOX_FIX,
      };
    },
    fixOf: () => SANDBOX_FIX,
  };
}
