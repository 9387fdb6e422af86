import { STATUS_CODES } from 'node:http';
import type { NamedEndpoint } from '../../../contracts/all-endpoints.ts';
import { exampleOf } from './examples.ts';
import { STREAMS, type Stream } from './media-types.ts';
import { listRefusals, problemReference } from './problems.ts';
import { writeSamples } from './samples.ts';
import type { JsonSchema, SchemaConverter } from './schemas.ts';
import { accessSentence, securityOf } from './security.ts';
import { tagOf } from './tags.ts';

type Parameter = { name: string; in: string; required?: boolean; description?: string; schema: JsonSchema };

export function describeOperation(call: NamedEndpoint, schemas: SchemaConverter, publicUrl: string): object {
  const { contract, name, endpoint } = call;
  const parameters = listParameters(call, schemas);
  const body = describeBody(call, schemas);
  const security = securityOf(endpoint);
  return {
    operationId: name,
    summary: endpoint.summary,
    description: [endpoint.description, ...remarksOn(call), accessSentence(endpoint)]
      .filter(Boolean)
      .join('\n\n'),
    tags: [tagOf(contract, endpoint.access)],
    security,
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: body }),
    responses: describeResponses(call, schemas),
    'x-codeSamples': writeSamples(call, publicUrl),
  };
}

export function toTemplate(path: string): string {
  return path.replace(/:(\w+)/g, '{$1}');
}

function remarksOn({ name, endpoint: { idempotent, paged } }: NamedEndpoint): string[] {
  return [
    ...(STREAMS[name]?.hasRanges
      ? [
          'Supports a single `Range`, and a strong `ETag` for `If-Range`, so interrupted downloads can be resumed.',
        ]
      : []),
    ...(paged
      ? ['The header `Link: <…>; rel="next"` has the address of the next page, if there is one.']
      : []),
    ...(idempotent ? ['Send an `Idempotency-Key` to be able to retry safely.'] : []),
  ];
}

function listParameters({ name, endpoint }: NamedEndpoint, schemas: SchemaConverter): object[] {
  const headers = (STREAMS[name]?.takesHeaders ?? []).map(({ example, ...header }) => ({
    ...header,
    in: 'header',
    schema: { type: 'string' },
    example,
  }));
  const ranges = [{ $ref: '#/components/parameters/Range' }, { $ref: '#/components/parameters/If-Range' }];
  return [
    ...toParameters('path', schemas.convertParameters(endpoint.params)),
    ...toParameters('query', schemas.convertParameters(endpoint.query)),
    ...headers,
    ...(STREAMS[name]?.hasRanges ? ranges : []),
    ...(endpoint.idempotent ? [{ $ref: '#/components/parameters/Idempotency-Key' }] : []),
  ];
}

function toParameters(
  place: 'path' | 'query',
  { properties, required }: ReturnType<SchemaConverter['convertParameters']>,
): Parameter[] {
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: place,
    ...((place === 'path' || required.includes(name)) && { required: true }),
    ...(typeof description === 'string' && { description }),
    schema: withoutNull(schema),
  }));
}

/** A parameter can be absent from a URL, but never null. */
function withoutNull(schema: JsonSchema): JsonSchema {
  const choices = schema.anyOf as JsonSchema[] | undefined;
  const others = choices?.filter(({ type }) => type !== 'null') ?? [];
  return others.length === 1 ? others[0]! : schema;
}

function describeBody({ name, endpoint }: NamedEndpoint, schemas: SchemaConverter): object | undefined {
  if (endpoint.body === undefined) return undefined;
  if (endpoint.body === 'stream') return { required: true, content: STREAMS[name]?.takes ?? {} };
  const example = exampleOf(name);
  return {
    required: true,
    content: {
      'application/json': {
        schema: schemas.convert(endpoint.body, 'input'),
        ...(example !== undefined && { example }),
      },
    },
  };
}

function describeResponses(call: NamedEndpoint, schemas: SchemaConverter): Record<string, object> {
  const refusals = listRefusals(call).map((status) => [status, problemReference(status)]);
  return {
    ...describeSuccesses(call, schemas),
    ...Object.fromEntries(refusals),
    default: problemReference('default'),
  };
}

function describeSuccesses(
  { name, endpoint }: NamedEndpoint,
  schemas: SchemaConverter,
): Record<string, object> {
  const status = endpoint.status ?? (endpoint.response === 'empty' ? 204 : 200);
  const description = STATUS_CODES[status]!;
  const stream = STREAMS[name];
  if (endpoint.response === 'stream') return describeStreamed(stream, status);
  const headers = listHeaders(name, endpoint);
  const shared = { description, ...(Object.keys(headers).length > 0 && { headers }) };
  if (endpoint.response === 'empty') return { [status]: shared };
  const schema = schemas.convert(endpoint.response, 'output');
  return { [status]: { ...shared, content: { 'application/json': { schema } } } };
}

function listHeaders(name: string, endpoint: NamedEndpoint['endpoint']): Record<string, object> {
  const takesKey = securityOf(endpoint).some((way) => 'apiKey' in way);
  const names = [
    ...(endpoint.paged ? ['Link'] : []),
    ...(takesKey ? ['RateLimit', 'RateLimit-Policy'] : []),
    ...(endpoint.idempotent ? ['Idempotency-Replayed'] : []),
  ];
  const own = (STREAMS[name]?.givesHeaders ?? []).map(({ name: header, ...rest }) => [
    header,
    { ...rest, schema: { type: 'string' } },
  ]);
  return {
    ...Object.fromEntries(names.map((header) => [header, { $ref: `#/components/headers/${header}` }])),
    ...Object.fromEntries(own),
  };
}

function describeStreamed(
  { gives: content = {}, hasEtag, hasRanges }: Stream = {},
  status: number,
): Record<string, object> {
  const refer = (names: string[]) =>
    Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
  const unchanged = { description: 'Still the version that `If-None-Match` names', headers: refer(['ETag']) };
  if (!hasRanges)
    return {
      [status]: { description: 'The whole content', ...(hasEtag && { headers: refer(['ETag']) }), content },
      ...(hasEtag && { 304: unchanged }),
    };
  const headers = ['ETag', 'Accept-Ranges'];
  return {
    200: { description: 'The whole content', headers: refer(headers), content },
    206: {
      description: 'The requested `Range`',
      headers: refer([...headers, 'Content-Range']),
      content,
    },
    304: unchanged,
    412: { description: 'No longer the version that `If-Match` names' },
  };
}
