import type { Context } from '../../context.ts';
import { maySendUnencrypted, TlsMissingError } from '../../platform/mail/mailer.ts';
import { type Check, reasonOf } from './check-result.ts';

/** A handshake with the mail server, without a mail. */
export function checkMailServer({ mailer, config }: Pick<Context, 'mailer' | 'config'>): Check {
  const server = config.smtpUrl ? new URL(config.smtpUrl).host : '';
  return {
    name: 'smtp',
    title: 'Mail server',
    look: async () => {
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

/** Real money, test money, the built-in demo, or none. */
export function checkPayments({ config }: Pick<Context, 'config'>): Check {
  return {
    name: 'payments',
    title: 'Payments',
    look: async () => {
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
