import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { namedEndpoints } from '../../../contracts/all-endpoints.ts';
import { AdInput } from '../../../contracts/plans/ads.ts';
import { SentFile } from '../../../contracts/transfers/settings/text-settings.ts';
import { runInSlices } from '../../platform/lib/concurrency/time-slices.ts';
import { describeOperation, toTemplate } from './operations.ts';
import { describeProblems, PROBLEM_SCHEMA } from './problems.ts';
import { type JsonSchema, SchemaConverter } from './schemas.ts';
import { describeSecurity } from './security.ts';
import { TAGS } from './tags.ts';

export type OpenApiDocument = {
  openapi: string;
  info: { title: string; version: string; description: string; [other: string]: unknown };
  servers: { url: string }[];
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, JsonSchema> } & Record<string, Record<string, object>>;
};

export type Operation = {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
  security: Record<string, string[]>[];
  parameters?: object[];
  requestBody?: { content: Record<string, { schema?: JsonSchema }> };
  responses: Record<string, object>;
  'x-codeSamples': { lang: string; label: string; source: string }[];
};

export const EXAMPLE_URL = 'https://sendwell.example';

/** The OpenAPI 3.1 document of all calls. Yields to the event loop every few milliseconds. */
export function describeApi(publicUrl: string): Promise<OpenApiDocument> {
  return runInSlices(describeCalls(publicUrl));
}

function* describeCalls(publicUrl: string): Generator<void, OpenApiDocument> {
  const schemas = new SchemaConverter();
  const paths: OpenApiDocument['paths'] = {};
  for (const call of namedEndpoints) {
    const path = toTemplate(call.endpoint.path);
    paths[path] ??= {};
    paths[path][call.endpoint.method.toLowerCase()] = describeOperation(
      call,
      schemas,
      publicUrl,
    ) as Operation;
    yield;
  }
  // Only forms and streams refer to these schemas, so no call adds them.
  schemas.convert(AdInput, 'input');
  schemas.convert(SentFile, 'output');
  return {
    openapi: '3.1.1',
    info: { title: 'Sendwell API', version: '1', description: readIntroduction(publicUrl) },
    servers: [{ url: publicUrl }],
    tags: TAGS,
    paths,
    components: {
      schemas: { ...schemas.listComponents(), Problem: PROBLEM_SCHEMA },
      responses: describeProblems() as Record<string, object>,
      headers: SHARED_HEADERS,
      parameters: SHARED_PARAMETERS,
      securitySchemes: describeSecurity(publicUrl) as Record<string, object>,
    },
  };
}

export function readIntroduction(publicUrl: string): string {
  const text = readFileSync(join(import.meta.dirname, 'introduction.md'), 'utf8');
  return text.replaceAll(EXAMPLE_URL, publicUrl);
}

const text = (description: string, example?: string) => ({
  description,
  schema: { type: 'string' },
  ...(example !== undefined && { example }),
});

const SHARED_HEADERS: Record<string, object> = {
  Link: text(
    'The address of the next page (RFC 8288). Absent on the last page.',
    '</api/transfers?limit=20&cursor=eyJ…>; rel="next"',
  ),
  RateLimit: text(
    'For calls with an API key: calls left (`r`), and seconds until the limit resets (`t`).',
    '"calls";r=598;t=42',
  ),
  'RateLimit-Policy': text(
    'For calls with an API key: the allowed number of calls (`q`) per window in seconds (`w`).',
    '"calls";q=600;w=60',
  ),
  'Retry-After': text('Seconds to wait before the next attempt.', '30'),
  'WWW-Authenticate': text(
    'For calls with an API key: why the key was refused (RFC 6750).',
    'Bearer realm="Sendwell", error="invalid_token"',
  ),
  'Idempotency-Replayed': text(
    '`true` if this is the stored answer to an earlier request with the same key.',
    'true',
  ),
  ETag: text('Identifies the content. It changes with every change of the content.', '"5k2j0a"'),
  'Accept-Ranges': text('Always `bytes`.', 'bytes'),
  'Content-Range': text('The range of bytes in this answer, and the total size.', 'bytes 1000-1999/52428800'),
};

const SHARED_PARAMETERS: Record<string, object> = {
  'Idempotency-Key': {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'A key of your choice, a new one for each thing to create. A repeated request with the same key and body within a day gets the first answer and creates nothing.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
    example: '7f6c1f3e-9d0b-4c55-8a0e-2f1d5f4f4f10',
  },
  Range: {
    name: 'Range',
    in: 'header',
    description: 'One range of bytes.',
    schema: { type: 'string' },
    example: 'bytes=1000-',
  },
  'If-Range': {
    name: 'If-Range',
    in: 'header',
    description:
      'The ETag of the content that the range belongs to. If the content has changed, all of it is sent.',
    schema: { type: 'string' },
    example: '"5k2j0a"',
  },
};
