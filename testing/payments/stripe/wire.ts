/** What Stripe says no with. */
export class Refusal extends Error {
  readonly status: number;
  readonly body: { error: { type: string; message: string; code?: string; param?: string } };

  constructor(
    status: number,
    {
      message,
      type = 'invalid_request_error',
      ...rest
    }: Omit<Refusal['body']['error'], 'type'> & { type?: string },
  ) {
    super(message);
    this.status = status;
    this.body = { error: { type, message, ...rest } };
  }
}

/** An id in the address answers 404, one among the parameters 400. */
export function noSuch(kind: string, id: string, param?: string): Refusal {
  return new Refusal(param ? 400 : 404, {
    code: 'resource_missing',
    message: `No such ${kind}: '${id}'`,
    param: param ?? 'id',
  });
}

export function refused(message: string, code?: string): Refusal {
  return new Refusal(400, { message, ...(code && { code }) });
}

export type Values = { [name: string]: Value };
export type Value = string | Value[] | Values;

/** `items[0][price]=price_1&expand[0]=schedule` as an object; a list is told by its numbers. */
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
