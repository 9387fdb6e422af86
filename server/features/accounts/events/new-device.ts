import type { FastifyRequest } from 'fastify';
import type { SignInMethod } from '../../../../contracts/accounts/sign-in.ts';
import { parseUserAgent } from '../../../../contracts/values/user-agents.ts';
import type { Context } from '../../../context.ts';
import type { Trx } from '../../../platform/db/open.ts';
import type { UserRow } from '../../../platform/db/schema.ts';
import { createLimitedAlertLink } from '../account-alerts.ts';
import { enqueueNewDeviceMail } from '../emails.ts';

const METHODS: Record<SignInMethod, string> = {
  password: 'Password',
  passkey: 'Passkey',
  totp: 'Authenticator app',
  'recovery-code': 'Recovery code',
  link: 'Link by email',
  'email-code': 'Code by email',
  invitation: 'Invitation',
};

/** Tells the owner about a sign-in from an unknown browser; at most some mails a day. */
export async function mailNewDevice(
  deps: Pick<Context, 'clock' | 'config' | 'geo'> & { db: Trx },
  user: Pick<UserRow, 'id' | 'email'>,
  { methods, request }: { methods: readonly SignInMethod[]; request: FastifyRequest },
): Promise<void> {
  const secureUrl = await createLimitedAlertLink(deps, user, 'sign-in');
  if (!secureUrl) return;
  const { country, city } = deps.geo.locate(request.ip);
  const countryName = country && new Intl.DisplayNames('en', { type: 'region' }).of(country);
  await enqueueNewDeviceMail(deps.db, user, {
    device: describeUserAgent(request.headers['user-agent'] ?? null),
    place: [city, countryName].filter(Boolean).join(', ') || 'Unknown',
    address: request.ip.replace(/^::ffff:(?=\d+\.)/, ''),
    method: methods.map((method) => METHODS[method]).join(', '),
    secureUrl,
    createdAt: deps.clock.now(),
  });
}

/** 'Firefox on Windows', or less if unknown. */
export function describeUserAgent(userAgent: string | null): string {
  const { browser, system } = parseUserAgent(userAgent);
  if (browser && system) return `${browser} on ${system}`;
  return browser ?? (system ? `A browser on ${system}` : 'Unknown device');
}
