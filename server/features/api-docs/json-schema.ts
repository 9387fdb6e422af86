import { z } from 'zod';
import { Id, Instant, isEmail } from '../../../contracts/common.ts';

/** A schema of the document, JSON Schema 2020-12. */
export type JsonSchema = { [keyword: string]: unknown };

const LARGEST_INT32 = 2 ** 31 - 1;

/**
 * Zod schemas by name as JSON Schema. Where one of `named` lies in another it is a reference to the
 * component of its name.
 */
export function toJsonSchemas(
  schemas: Map<string, z.ZodType>,
  io: 'input' | 'output',
): Map<string, JsonSchema> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of schemas) registry.add(schema, { id });
  const converted = z.toJSONSchema(registry, {
    io,
    unrepresentable: 'any',
    uri: referenceTo,
    override: ({ zodSchema, jsonSchema }) => refine(zodSchema, jsonSchema as JsonSchema, io),
  });
  return new Map(
    Object.entries(converted.schemas).map(([id, { $schema, $id, ...schema }]) => [id, schema as JsonSchema]),
  );
}

export function referenceTo(component: string): string {
  return `#/components/schemas/${component}`;
}

/** What zod says about itself rather than about the wire is left out; what it cannot say is put in. */
function refine(zodSchema: unknown, schema: JsonSchema, io: 'input' | 'output'): void {
  if (zodSchema === Instant) Object.assign(schema, { format: 'date-time' });
  if (zodSchema === Id) Object.assign(schema, { examples: ['0k3v9w2m7x5q1r8t6y4u0p2s3d'] });
  if (isAddress(zodSchema)) Object.assign(schema, { format: 'email' });
  if (schema.format === 'date-time') delete schema.pattern;
  // Responses may gain fields, which readers must ignore. Requests with unknown fields are refused.
  if (io === 'output' && schema.additionalProperties === false) delete schema.additionalProperties;
  if (schema.type === 'integer') refineInteger(schema);
}

function refineInteger(schema: JsonSchema): void {
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  const { maximum } = schema;
  if (typeof maximum !== 'number' || maximum > LARGEST_INT32) schema.format = 'int64';
}

/** Whether this text is checked to be an e-mail address. */
function isAddress(zodSchema: unknown): boolean {
  if (!(zodSchema instanceof z.ZodString)) return false;
  return (zodSchema.def.checks ?? []).some((check) => {
    const { fn } = check._zod.def as { fn?: unknown };
    return fn === isEmail;
  });
}

/** Calls `visit` with each schema in this one, itself first. */
export function walkSchema(schema: unknown, visit: (schema: JsonSchema) => void): void {
  if (typeof schema !== 'object' || schema === null) return;
  if (!Array.isArray(schema)) visit(schema as JsonSchema);
  for (const part of Object.values(schema)) walkSchema(part, visit);
}
