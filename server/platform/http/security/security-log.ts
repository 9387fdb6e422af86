import type { FastifyRequest } from 'fastify';
import { ERRORS, type ErrorCode } from '../../../../contracts/errors.ts';
import type { AppError } from '../../lib/app-error.ts';
import type { Log } from '../../lib/logging/log.ts';
import { addressKey } from '../limits/rate-limits.ts';

/**
 * The names are an interface (fail2ban filters, log searches). A test compares them with
 * `docs/self-hosting/monitoring.md`.
 */
export const SECURITY_EVENTS = {
  'login.succeeded': 'success',
  'login.failed': 'refused',
  'login.link_requested': 'success',
  'login.new_device': 'success',
  'account.registered': 'success',
  'account.email_verified': 'success',
  'email_code.failed': 'refused',
  'visitor.verified': 'success',
  'account.password_check_failed': 'refused',
  'account.password_changed': 'success',
  'account.password_reset_requested': 'success',
  'account.email_changed': 'success',
  'account.email_change_undone': 'success',
  'account.secured': 'success',
  'account.role_changed': 'success',
  'account.plan_changed': 'success',
  'account.created': 'success',
  'account.deleted': 'success',
  'session.ended': 'success',
  'factor.added': 'success',
  'factor.removed': 'success',
  'recovery_codes.created': 'success',
  'passkey.counter_fell': 'refused',
  'identity.linked': 'success',
  'identity.unlinked': 'success',
  'sso.refused': 'refused',
  'reauthentication.succeeded': 'success',
  'api_key.created': 'success',
  'api_key.changed': 'success',
  'api_key.deleted': 'success',
  'api_key.new_address': 'success',
  'api_key.refused': 'refused',
  'webhook.created': 'success',
  'webhook.changed': 'success',
  'webhook.secret_rotated': 'success',
  'webhook.deleted': 'success',
  'transfer.password_failed': 'refused',
  'pickup.code_failed': 'refused',
  'access.denied': 'refused',
  'input.refused': 'refused',
  'limit.reached': 'refused',
  'admin.action': 'success',
} as const satisfies Record<string, 'success' | 'refused'>;

export type SecurityEvent = keyof typeof SECURITY_EVENTS;

const EVENTS_OF_STATUS: Record<number, SecurityEvent> = {
  400: 'input.refused',
  403: 'access.denied',
  413: 'input.refused',
  415: 'input.refused',
  429: 'limit.reached',
};

const EVENTS_OF_REFUSALS: Partial<Record<ErrorCode, SecurityEvent>> = {
  wrong_credentials: 'login.failed',
  wrong_factor: 'login.failed',
  wrong_code: 'email_code.failed',
  code_expired: 'email_code.failed',
  wrong_current_password: 'account.password_check_failed',
  wrong_password: 'transfer.password_failed',
  wrong_access_key: 'transfer.password_failed',
  pickup_code_unknown: 'pickup.code_failed',
  api_key_malformed: 'api_key.refused',
  api_key_unknown: 'api_key.refused',
  api_key_expired: 'api_key.refused',
  api_key_inactive: 'api_key.refused',
};

/** Identifiers and names from our own lists only: no secret, and no text that a caller chose. */
export type SecurityDetails = Record<string, string | number | boolean | null>;

declare module 'fastify' {
  interface FastifyInstance {
    security: SecurityLog;
  }
  interface FastifyRequest {
    accountId: string | undefined;
  }
}

const WINDOW_MS = 60_000;
const REFUSALS_PER_ADDRESS = 20;
const LINES_PER_EVENT = 1000;

/**
 * Per minute, each process writes at most 20 lines for one refused event and address, and 1,000 for one
 * event. `events.suppressed` reports the rest. Writing never waits and never throws.
 */
export class SecurityLog {
  readonly #log: Log;
  readonly #perAddress = new Map<string, number>();
  readonly #perEvent = new Map<SecurityEvent, number>();
  readonly #suppressed = new Map<SecurityEvent, number>();
  #endOfWindow: NodeJS.Timeout | undefined;

  constructor(log: Log) {
    this.#log = log;
  }

  record(
    request: FastifyRequest,
    event: SecurityEvent,
    { accountId = request.accountId, ...details }: { accountId?: string | undefined } & SecurityDetails = {},
  ): void {
    const isRefused = SECURITY_EVENTS[event] === 'refused';
    if (!this.#claimLine(event, isRefused ? addressKey(request) : undefined)) return;
    const address = request.ip.replace(/^::ffff:(?=\d+\.)/, '');
    this.#write(event, { address, accountId, ...details });
  }

  recordInternal(event: SecurityEvent, details: { accountId: string } & SecurityDetails): void {
    if (this.#claimLine(event, undefined)) this.#write(event, { address: null, ...details });
  }

  recordRefusal(request: FastifyRequest, { code }: Pick<AppError, 'code'>): void {
    const event = EVENTS_OF_REFUSALS[code] ?? EVENTS_OF_STATUS[ERRORS[code].status];
    if (!event) return;
    const { method, routeOptions } = request;
    this.record(request, event, { reason: code, method, route: routeOptions.url ?? 'unknown' });
  }

  close(): void {
    clearTimeout(this.#endOfWindow);
    this.#endWindow();
  }

  #claimLine(event: SecurityEvent, addressOfRefusal: string | undefined): boolean {
    this.#endOfWindow ??= setTimeout(() => this.#endWindow(), WINDOW_MS).unref();
    const key = `${event} ${addressOfRefusal}`;
    const ofAddress = this.#perAddress.get(key) ?? 0;
    const ofEvent = this.#perEvent.get(event) ?? 0;
    const isTooMany = addressOfRefusal !== undefined && ofAddress >= REFUSALS_PER_ADDRESS;
    if (isTooMany || ofEvent >= LINES_PER_EVENT) {
      this.#suppressed.set(event, (this.#suppressed.get(event) ?? 0) + 1);
      return false;
    }
    if (addressOfRefusal !== undefined) this.#perAddress.set(key, ofAddress + 1);
    this.#perEvent.set(event, ofEvent + 1);
    return true;
  }

  #write(event: SecurityEvent, details: Record<string, unknown>): void {
    const outcome = SECURITY_EVENTS[event];
    // Event, outcome and address come first: the fail2ban filter is anchored to the start of the line.
    // Refused input is usually a typo.
    const level = outcome === 'refused' && event !== 'input.refused' ? 'warn' : 'info';
    this.#log[level]({ event, outcome, ...details }, 'security event');
  }

  #endWindow(): void {
    this.#endOfWindow = undefined;
    for (const [event, lines] of this.#suppressed)
      this.#log.warn({ event: 'events.suppressed', suppressed: event, lines }, 'security event');
    this.#perAddress.clear();
    this.#perEvent.clear();
    this.#suppressed.clear();
  }
}
