import { STATUS_CODES } from 'node:http';
import type { NamedEndpoint } from '../../../contracts/all-endpoints.ts';
import { exampleOf } from './examples.ts';
import type { JsonSchema } from './json-schema.ts';
import { STREAMS, type Stream } from './media-types.ts';
import { problemReference } from './problems.ts';
import { listRefusals } from './refusals.ts';
import { writeSamples } from './samples.ts';
import { accessSentence, securityOf } from './security.ts';
import type { AllShapes, Shapes } from './shapes.ts';
import { tagOf } from './tags.ts';

type Parameter = { name: string; in: string; required?: boolean; description?: string; schema: JsonSchema };

/** One call as an OpenAPI operation. */
export function describeOperation(
  call: NamedEndpoint,
  { components, calls }: AllShapes,
  publicUrl: string,
): object {
  const { contract, name, endpoint } = call;
  const shapes = calls.get(name) ?? {};
  const parameters = listParameters(call, shapes, components);
  const body = describeBody(call, shapes);
  const security = securityOf(endpoint);
  return {
    operationId: name,
    summary: endpoint.summary,
    description: [shapes.comment, ...remarksOn(call), accessSentence(endpoint)].filter(Boolean).join('\n\n'),
    tags: [tagOf(contract, endpoint.access)],
    security,
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: body }),
    responses: describeResponses(call, shapes),
    'x-codeSamples': writeSamples(call, publicUrl),
  };
}

/** The path as OpenAPI writes it. */
export function toTemplate(path: string): string {
  return path.replace(/:(\w+)/g, '{$1}').replace(/\*$/, '{path}');
}

function remarksOn({ name, endpoint: { idempotent } }: NamedEndpoint): string[] {
  return [
    ...(STREAMS[name]?.hasRanges
      ? [
          'Answers one `Range`, with a strong `ETag` for `If-Range`: a download that broke off goes on where it was.',
        ]
      : []),
    ...(idempotent ? ['Creates something: send an `Idempotency-Key` to be able to repeat it safely.'] : []),
  ];
}

function listParameters(
  { name, endpoint }: NamedEndpoint,
  shapes: Shapes,
  components: AllShapes['components'],
): object[] {
  const headers = (STREAMS[name]?.takesHeaders ?? []).map(({ example, ...header }) => ({
    ...header,
    in: 'header',
    schema: { type: 'string' },
    example,
  }));
  const ranges = [{ $ref: '#/components/parameters/Range' }, { $ref: '#/components/parameters/If-Range' }];
  return [
    ...toParameters(shapes.params, 'path', components),
    ...listUndeclared(endpoint.path, shapes.params),
    ...toParameters(shapes.query, 'query', components),
    ...headers,
    ...(STREAMS[name]?.hasRanges ? ranges : []),
    ...(endpoint.idempotent ? [{ $ref: '#/components/parameters/Idempotency-Key' }] : []),
  ];
}

function toParameters(
  schema: JsonSchema | undefined,
  place: 'path' | 'query',
  components: AllShapes['components'],
): Parameter[] {
  const name = typeof schema?.$ref === 'string' ? schema.$ref.split('/').at(-1)! : undefined;
  const { properties = {}, required = [] } = (name ? components[name] : schema) ?? {};
  return Object.entries(properties as Record<string, JsonSchema>).map(
    ([key, { description, ...property }]) => ({
      name: key,
      in: place,
      ...((place === 'path' || (required as string[]).includes(key)) && { required: true }),
      ...(typeof description === 'string' && { description }),
      schema: withoutNull(property),
    }),
  );
}

/** Places in the path that the contract leaves to the handler. */
function listUndeclared(path: string, params: JsonSchema | undefined): Parameter[] {
  const declared = Object.keys((params?.properties as object | undefined) ?? {});
  return [...toTemplate(path).matchAll(/\{(\w+)\}/g)]
    .map(([, name]) => name!)
    .filter((name) => !declared.includes(name))
    .map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } }));
}

/** What is left out of an address is absent, never null. */
function withoutNull(schema: JsonSchema): JsonSchema {
  const choices = schema.anyOf as JsonSchema[] | undefined;
  const others = choices?.filter(({ type }) => type !== 'null') ?? [];
  return others.length === 1 ? others[0]! : schema;
}

function describeBody({ name, endpoint }: NamedEndpoint, { body }: Shapes): object | undefined {
  if (endpoint.body === undefined) return undefined;
  if (endpoint.body === 'stream') return { required: true, content: STREAMS[name]?.takes ?? {} };
  const example = exampleOf(name);
  return {
    required: true,
    content: { 'application/json': { schema: body, ...(example !== undefined && { example }) } },
  };
}

function describeResponses(call: NamedEndpoint, shapes: Shapes): Record<string, object> {
  const refusals = listRefusals(call).map((status) => [status, problemReference(status)]);
  return {
    ...describeSuccesses(call, shapes),
    ...Object.fromEntries(refusals),
    default: problemReference('default'),
  };
}

function describeSuccesses({ name, endpoint }: NamedEndpoint, shapes: Shapes): Record<string, object> {
  const status = endpoint.status ?? (endpoint.response === 'empty' ? 204 : 200);
  const description = STATUS_CODES[status]!;
  const stream = STREAMS[name];
  if (endpoint.response === 'stream') return describeStreamed(stream, status);
  const headers = listHeaders(name, endpoint);
  const shared = { description, ...(Object.keys(headers).length > 0 && { headers }) };
  if (endpoint.response === 'empty') return { [status]: shared };
  return { [status]: { ...shared, content: { 'application/json': { schema: shapes.response } } } };
}

function listHeaders(name: string, endpoint: NamedEndpoint['endpoint']): Record<string, object> {
  const takesKey = securityOf(endpoint).some((way) => 'apiKey' in way);
  const hasPages = 'cursor' in ((endpoint.query as { shape?: object } | undefined)?.shape ?? {});
  const names = [
    ...(hasPages ? ['Link'] : []),
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
  const unchanged = { description: 'What `If-None-Match` names is still the same', headers: refer(['ETag']) };
  if (!hasRanges)
    return {
      [status]: { description: 'The whole', ...(hasEtag && { headers: refer(['ETag']) }), content },
      ...(hasEtag && { 304: unchanged }),
    };
  const headers = ['ETag', 'Accept-Ranges'];
  return {
    200: { description: 'The whole', headers: refer(headers), content },
    206: {
      description: 'The part that `Range` asked for',
      headers: refer([...headers, 'Content-Range']),
      content,
    },
    304: unchanged,
    412: { description: 'What `If-Match` names is not there any more' },
  };
}
