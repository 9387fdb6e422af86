import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { namedEndpoints } from '../../../contracts/all-endpoints.ts';
import { AdInput } from '../../../contracts/plans/ads.ts';
import { SentFile } from '../../../contracts/transfers/text-settings.ts';
import { runInSlices } from '../../platform/lib/time-slices.ts';
import { describeOperation, toTemplate } from './operations.ts';
import { describeProblems, PROBLEM_SCHEMA } from './problems.ts';
import { type JsonSchema, SchemaConverter } from './schemas.ts';
import { describeSecurity } from './security.ts';
import { SHARED_HEADERS, SHARED_PARAMETERS } from './shared-parts.ts';
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

/** Stands in the introduction's samples for the address of the installation. */
export const EXAMPLE_URL = 'https://sendwell.example';

/**
 * The OpenAPI 3.1 document of all calls, for an installation at `publicUrl`. Lets the event loop run every few
 * milliseconds.
 */
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
  // Only forms and streams refer to these.
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

/** What developers read first, as Markdown. */
export function readIntroduction(publicUrl: string): string {
  const text = readFileSync(join(import.meta.dirname, 'introduction.md'), 'utf8');
  return text.replaceAll(EXAMPLE_URL, publicUrl);
}
