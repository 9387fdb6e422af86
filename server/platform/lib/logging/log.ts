import { format } from 'node:util';
import { type Logger, pino, stdTimeFunctions } from 'pino';
import { LogOutput } from './log-output.ts';
import { findRequestId } from './request-scope.ts';

type Write = {
  (fields: Record<string, unknown>, message: string): void;
  (message: string): void;
};

/** Errors are passed in the field `err`. */
export type Log = {
  debug: Write;
  info: Write;
  warn: Write;
  error: Write;
  child(bindings: Record<string, unknown>): Log;
  /** Whether lines of this level are written. */
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
]);

/** Secrets are hidden down to this depth; deeper fields are logged as they are. */
const SEARCHED_DEPTH = 5;

let standardOutput: LogOutput | undefined;

/**
 * Writes one JSON line per event to standard output, or to `destination`. Standard output never blocks: lines that it
 * does not accept are dropped and counted (`LogOutput`). Fields with the name of a secret are hidden at any depth of
 * plain objects; levels are pino's (`info`, `silent` …).
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

/** Turns Node's process warnings, and what libraries print to the console, into log lines. */
export function logStrayOutput(log: Log): void {
  process.removeAllListeners('warning');
  process.on('warning', (err) => log.warn({ err }, 'process warning'));
  const levels = { debug: 'debug', log: 'info', info: 'info', warn: 'warn', error: 'error' } as const;
  for (const [method, level] of Object.entries(levels))
    console[method as keyof typeof levels] = (...values) => log[level](format(...values));
}

/** Class instances such as errors and requests have serializers that list what they log. */
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
