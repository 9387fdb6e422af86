import { format } from 'node:util';
import { type Logger, pino, stdTimeFunctions } from 'pino';
import { LogOutput } from './log-output.ts';
import { findRequestId } from './request-scope.ts';

type Write = {
  (fields: Record<string, unknown>, message: string): void;
  (message: string): void;
};

/** Pass errors in the field `err`. */
export type Log = {
  debug: Write;
  info: Write;
  warn: Write;
  error: Write;
  child(bindings: Record<string, unknown>): Log;
  isLevelEnabled?(level: string): boolean;
};

const SECRETS = new Set([
  'authorization',
  'cookie',
  'set-cookie',
  'token',
  'sharetoken',
  'password',
  'code',
  'secret',
  'clientsecret',
  'client_secret',
]);

/** Deeper fields are not searched for secrets. */
const SEARCHED_DEPTH = 5;

let standardOutput: LogOutput | undefined;

/**
 * Writes JSON lines to standard output, which never blocks (`LogOutput`), or to `destination`. Hides fields
 * with the name of a secret.
 */
export function createLog(level: string, destination?: { write(line: string): void }): Logger {
  const options = {
    level,
    base: { pid: process.pid },
    mixin: () => {
      const requestId = findRequestId();
      return requestId === undefined ? {} : { requestId };
    },
    timestamp: stdTimeFunctions.isoTime,
    formatters: {
      level: (label: string) => ({ level: label }),
      log: (fields: object) => hideSecretFields(fields, SEARCHED_DEPTH),
    },
    // The formatter doesn't see the bindings of child loggers.
    redact: { paths: [...SECRETS].map((name) => `["${name}"]`), censor: '[hidden]' },
  };
  if (destination) return pino(options, destination);
  const onLoss = (lines: number) =>
    log.warn({ lines }, 'log lines were lost: standard output did not accept them');
  standardOutput ??= new LogOutput(1, onLoss);
  const log = pino(options, standardOutput);
  return log;
}

/** Logs Node's process warnings and console output of libraries. */
export function logStrayOutput(log: Log): void {
  process.removeAllListeners('warning');
  process.on('warning', (err) => log.warn({ err }, 'process warning'));
  const levels = { debug: 'debug', log: 'info', info: 'info', warn: 'warn', error: 'error' } as const;
  for (const [method, level] of Object.entries(levels))
    console[method as keyof typeof levels] = (...values) => log[level](format(...values));
}

/** Class instances have serializers. */
function hideSecrets(value: unknown, depth: number): unknown {
  if (depth === 0 || !isPlain(value)) return value;
  if (Array.isArray(value)) return value.map((each) => hideSecrets(each, depth - 1));
  return hideSecretFields(value, depth);
}

function hideSecretFields(fields: object, depth: number): Record<string, unknown> {
  const entries = Object.entries(fields).map(([name, value]) => [
    name,
    SECRETS.has(name.toLowerCase()) ? '[hidden]' : hideSecrets(value, depth - 1),
  ]);
  return Object.fromEntries(entries);
}

function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  return [Object.prototype, Array.prototype, null].includes(Object.getPrototypeOf(value));
}
