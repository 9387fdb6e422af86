import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { usageError } from './http/errors.ts';

/** An option as it is parsed and as `--help` tells it. */
export type Option = {
  type: 'string' | 'boolean';
  /** 'DAYS' in `--days DAYS`. */
  value?: string;
  help: string;
  short?: string;
};

export type Values = Record<string, string | boolean | undefined>;

export const COMMON_OPTIONS = {
  json: { type: 'boolean', help: 'Print one JSON object on standard output and nothing else' },
  progress: { type: 'string', value: 'HOW', help: 'bar, plain, none, or json: one JSON object a line' },
  'give-up-after': {
    type: 'string',
    value: 'SECONDS',
    help: 'End when the network has been away for so long; endless unless told',
  },
  help: { type: 'boolean', short: 'h', help: 'Show this' },
} satisfies Record<string, Option>;

export const ACCOUNT_OPTIONS = {
  server: {
    type: 'string',
    value: 'URL',
    help: 'The server; else SENDWELL_URL, else that of `sendwell login`',
  },
  key: {
    type: 'string',
    value: 'KEY',
    help: 'The API key; else SENDWELL_KEY, else that of `sendwell login`',
  },
} satisfies Record<string, Option>;

/** Throws CommandError with Node's own sentence about what is wrong. */
export function parseOptions(
  args: string[],
  options: Record<string, Option>,
): { values: Values; paths: string[] } {
  const config: ParseArgsOptionsConfig = Object.fromEntries(
    Object.entries(options).map(([name, { type, short }]) => [name, { type, ...(short && { short }) }]),
  );
  try {
    const { values, positionals } = parseArgs({ args, options: config, allowPositionals: true });
    return { values: values as Values, paths: positionals };
  } catch (error) {
    throw usageError(`${(error as Error).message.split('. ')[0]}.`);
  }
}

export function textOf(values: Values, name: string): string | undefined {
  const value = values[name];
  return typeof value === 'string' ? value : undefined;
}

/** Throws CommandError for what is no whole number of at least `least`. */
export function numberOf(values: Values, name: string, least = 1): number | undefined {
  const text = textOf(values, name);
  if (text === undefined) return undefined;
  const number = Number(text);
  if (!/^\d+$/.test(text) || number < least)
    throw usageError(`--${name} takes a whole number of at least ${least}.`);
  return number;
}
