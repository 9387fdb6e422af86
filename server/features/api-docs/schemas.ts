import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { CONTRACTS } from '../../../contracts/all-endpoints.ts';

export type JsonSchema = { [keyword: string]: unknown };

/** `input` for requests, `output` for responses. */
type Direction = 'input' | 'output';

const COMPONENTS = '#/components/schemas/';
const LARGEST_INT32 = 2 ** 31 - 1;

export class SchemaConverter {
  readonly #components = new Map<string, JsonSchema>();

  constructor() {
    nameComponents();
  }

  /** Throws if a component is already known in another form: requests and responses must not share it then. */
  convert(schema: z.ZodType, direction: Direction): JsonSchema {
    const { $schema, $defs, ...converted } = z.toJSONSchema(schema, {
      io: direction,
      unrepresentable: 'any',
      override: ({ jsonSchema }) => refine(jsonSchema as JsonSchema, direction),
    });
    for (const [name, definition] of Object.entries($defs ?? {})) this.#addComponent(name, definition);
    return referToComponents(converted);
  }

  /** Converts `params` or `query`, which are never components. */
  convertParameters(schema: z.ZodType | undefined) {
    const { properties = {}, required = [] } =
      schema instanceof z.ZodObject ? this.convert(schema.extend({}), 'input') : {};
    return { properties: properties as Record<string, JsonSchema>, required: required as string[] };
  }

  listComponents(): Record<string, JsonSchema> {
    return Object.fromEntries([...this.#components].sort(([one], [other]) => (one < other ? -1 : 1)));
  }

  #addComponent(name: string, definition: object): void {
    const { id, ...component } = referToComponents(definition);
    const known = this.#components.get(name);
    if (known && !isDeepStrictEqual(known, component))
      throw new Error(`${name} differs between requests and responses. Export one schema for each.`);
    this.#components.set(name, component);
  }
}

/** Names a component after its export, unless the schema has its own `id`. */
function nameComponents(): void {
  for (const exports of Object.values(CONTRACTS))
    for (const [name, schema] of Object.entries(exports as Record<string, unknown>))
      if (schema instanceof z.ZodObject || schema instanceof z.ZodEnum)
        z.globalRegistry.add(schema, { id: name, ...schema.meta() });
}

/** Zod puts definitions into `$defs`. */
function referToComponents(schema: object): JsonSchema {
  walkSchema(schema, (each) => {
    if (typeof each.$ref === 'string') each.$ref = each.$ref.replace('#/$defs/', COMPONENTS);
  });
  return schema as JsonSchema;
}

/** Removes artifacts of zod that are not part of the API, such as the limits of safe integers. */
function refine(schema: JsonSchema, direction: Direction): void {
  if (schema.format === 'date-time') delete schema.pattern;
  // Responses may gain fields, which clients must ignore. Requests with unknown fields are refused.
  if (direction === 'output' && schema.additionalProperties === false) delete schema.additionalProperties;
  if (schema.type === 'integer') refineInteger(schema);
}

function refineInteger(schema: JsonSchema): void {
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  const { maximum } = schema;
  if (typeof maximum !== 'number' || maximum > LARGEST_INT32) schema.format = 'int64';
}

export function walkSchema(schema: unknown, visit: (schema: JsonSchema) => void): void {
  if (typeof schema !== 'object' || schema === null) return;
  if (!Array.isArray(schema)) visit(schema as JsonSchema);
  for (const part of Object.values(schema)) walkSchema(part, visit);
}
