import type { FastifyRequest } from 'fastify';
import type { SignInMethod } from '../../../../contracts/accounts/sign-in/sign-in.ts';
import { parseUserAgent } from '../../../../contracts/values/user-agents.ts';
import type { Context } from '../../../context.ts';
import type { Trx } from '../../../platform/db/open.ts';
import { type MailReader, msg, type Wording, wordingIn } from '../../../platform/mail/wording.ts';
import { enqueueNewDeviceMail } from '../emails.ts';
import { createLimitedAlertLink } from './account-alerts.ts';

const METHODS: Record<SignInMethod, string> = {
  password: msg('Password'),
  passkey: msg('Passkey'),
  totp: msg('Authenticator app'),
  'recovery-code': msg('Recovery code'),
  link: msg('Link by email'),
  'email-code': msg('Code by email'),
  invitation: msg('Invitation'),
  oidc: msg('Single sign-on'),
};

/** Tells the owner about a sign-in from an unknown browser; at most some mails a day. */
export async function mailNewDevice(
  deps: Pick<Context, 'clock' | 'config' | 'geo'> & { db: Trx },
  user: MailReader,
  { methods, request }: { methods: readonly SignInMethod[]; request: FastifyRequest },
): Promise<void> {
  const secureUrl = await createLimitedAlertLink(deps, user, 'sign-in');
  if (!secureUrl) return;
  const wording = wordingIn(user.language);
  const { t, language } = wording;
  const { country, city } = deps.geo.locate(request.ip);
  const countryName = country && new Intl.DisplayNames(language, { type: 'region' }).of(country);
  await enqueueNewDeviceMail(deps.db, user, {
    device: describeUserAgent(wording, request.headers['user-agent'] ?? null),
    place: [city, countryName].filter(Boolean).join(', ') || t('Unknown'),
    address: request.ip.replace(/^::ffff:(?=\d+\.)/, ''),
    method: methods.map((method) => t(METHODS[method])).join(', '),
    secureUrl,
    createdAt: deps.clock.now(),
  });
}

/** 'Firefox on Windows', or less if unknown. */
export function describeUserAgent({ t }: Pick<Wording, 't'>, userAgent: string | null): string {
  const { browser, system } = parseUserAgent(userAgent);
  if (browser && system) return t('{browser} on {system}', { browser, system });
  return browser ?? (system ? t('A browser on {system}', { system }) : t('Unknown device'));
}
