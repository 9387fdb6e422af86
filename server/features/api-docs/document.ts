import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { namedEndpoints } from '../../../contracts/all-endpoints.ts';
import { type JsonSchema, walkSchema } from './json-schema.ts';
import { describeOperation, toTemplate } from './operations.ts';
import { describeProblems, PROBLEM_SCHEMA } from './problems.ts';
import { describeSecurity } from './security.ts';
import { describeShapes } from './shapes.ts';
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

/** Where the introduction's samples call, until it is known where they do. */
export const EXAMPLE_URL = 'https://sendwell.example';

/** The OpenAPI 3.1 document of every call there is, for an installation at `publicUrl`. */
export function describeApi(publicUrl: string): OpenApiDocument {
  const shapes = describeShapes();
  const paths: OpenApiDocument['paths'] = {};
  for (const call of namedEndpoints) {
    const path = toTemplate(call.endpoint.path);
    paths[path] ??= {};
    paths[path][call.endpoint.method.toLowerCase()] = describeOperation(call, shapes, publicUrl) as Operation;
  }
  const document: OpenApiDocument = {
    openapi: '3.1.1',
    info: {
      title: 'Sendwell API',
      version: '1',
      description: readIntroduction(publicUrl),
    },
    servers: [{ url: publicUrl }],
    tags: TAGS,
    paths,
    components: {
      schemas: { ...shapes.components, Problem: PROBLEM_SCHEMA },
      responses: describeProblems() as Record<string, object>,
      headers: SHARED_HEADERS,
      parameters: SHARED_PARAMETERS,
      securitySchemes: describeSecurity(publicUrl) as Record<string, object>,
    },
  };
  return dropUnused(document);
}

/** What a builder reads first, as Markdown. */
export function readIntroduction(publicUrl: string): string {
  const text = readFileSync(join(import.meta.dirname, 'introduction.md'), 'utf8');
  return text.replaceAll(EXAMPLE_URL, publicUrl);
}

/** Leaves out the shapes that no call has: forms of pages, rows of other shapes. */
function dropUnused(document: OpenApiDocument): OpenApiDocument {
  const { schemas } = document.components;
  const used = new Set<string>();
  const use = (part: unknown) =>
    walkSchema(part, ({ $ref }) => {
      const name = typeof $ref === 'string' ? /^#\/components\/schemas\/(\w+)$/.exec($ref)?.[1] : undefined;
      if (name === undefined || used.has(name)) return;
      used.add(name);
      use(schemas[name]);
    });
  use(document.paths);
  use(document.components.responses);
  const kept = [...used].sort().map((name) => [name, schemas[name]!]);
  return { ...document, components: { ...document.components, schemas: Object.fromEntries(kept) } };
}
