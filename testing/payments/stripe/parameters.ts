import { Refusal } from './wire.ts';

export type Values = { [name: string]: Value };
export type Value = string | Value[] | Values;

/** Parses `items[0][price]=price_1&expand[0]=schedule`. Objects with the keys 0, 1, 2… become lists. */
export function parseForm(text: string): Values {
  const root: Values = {};
  for (const [key, value] of new URLSearchParams(text)) {
    const path = key.replaceAll(']', '').split('[');
    put(root, path, value);
  }
  return toLists(root) as Values;
}

function put(target: Values, [name, ...rest]: string[], value: string): void {
  const key = name === '' ? String(Object.keys(target).length) : name!;
  if (rest.length === 0) target[key] = value;
  else {
    target[key] ??= {};
    put(target[key] as Values, rest, value);
  }
}

function toLists(value: Value): Value {
  if (typeof value === 'string' || Array.isArray(value)) return value;
  const entries = Object.entries(value).map(([name, part]) => [name, toLists(part)] as const);
  const isList = entries.length > 0 && entries.every(([name], index) => name === String(index));
  return isList ? entries.map(([, part]) => part) : Object.fromEntries(entries);
}

/** A type of value, or the allowed values. `!` marks a required parameter. */
type Kind =
  | 'text'
  | 'text!'
  | 'integer'
  | 'integer!'
  | 'flag'
  | 'time'
  | 'time|now'
  | 'list!'
  | readonly string[];
export type Parameters = Record<string, Kind>;

/**
 * Throws Stripe's refusal for unknown parameters, invalid values and missing required parameters. Paths have the form
 * `items[].price`, and `metadata.*` matches any key.
 */
export function checkParameters(values: Values, allowed: Parameters): void {
  const known: Parameters = { ...allowed, 'expand[]': 'text' };
  const sent = [...flatten(values)];
  for (const { path, name, value } of sent) {
    const kind = known[path] ?? known[path.replace(/\.[^.]+$/, '.*')];
    if (!kind) {
      throw new Refusal(400, {
        code: 'parameter_unknown',
        message: `Received unknown parameter: ${name}`,
        param: name,
      });
    }
    checkValue(kind, name, value);
  }
  for (const [path, kind] of Object.entries(known)) {
    if (typeof kind === 'string' && kind.endsWith('!')) requireParameter(path, sent);
  }
}

function requireParameter(path: string, sent: { path: string }[]): void {
  if (sent.some((parameter) => parameter.path === path || parameter.path.startsWith(`${path}[]`))) return;
  // A required field of an object is required only if the object is sent.
  const parent = path.slice(0, path.lastIndexOf('.'));
  if (path.includes('.') && !sent.some((parameter) => parameter.path.startsWith(`${parent}.`))) return;
  throw new Refusal(400, {
    code: 'parameter_missing',
    message: `Missing required param: ${path}.`,
    param: path,
  });
}

function checkValue(kind: Kind, name: string, value: string): void {
  const isFine = isOfKind(kind, value);
  if (isFine) return;
  const code =
    typeof kind === 'string' && kind.startsWith('integer') ? 'parameter_invalid_integer' : undefined;
  const message = Array.isArray(kind)
    ? `Invalid ${name}: must be one of ${kind.join(', ')}`
    : `Invalid ${String(kind)}: ${value}`;
  throw new Refusal(400, { ...(code && { code }), message, param: name });
}

function isOfKind(kind: Kind, value: string): boolean {
  if (typeof kind !== 'string') return kind.includes(value);
  if (kind.startsWith('text')) return value !== '' && value.length <= 500;
  if (kind === 'flag') return value === 'true' || value === 'false';
  if (kind === 'time|now' && value === 'now') return true;
  return /^\d{1,10}$/.test(value);
}

function* flatten(
  value: Value,
  path = '',
  name = '',
): Generator<{ path: string; name: string; value: string }> {
  if (typeof value === 'string') yield { path, name, value };
  else if (Array.isArray(value)) {
    for (const [index, part] of value.entries()) yield* flatten(part, `${path}[]`, `${name}[${index}]`);
  } else {
    for (const [key, part] of Object.entries(value)) {
      yield* flatten(part, path ? `${path}.${key}` : key, name ? `${name}[${key}]` : key);
    }
  }
}
