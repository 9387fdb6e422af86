import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { CONTRACTS, namedEndpoints } from '../../../contracts/all-endpoints.ts';
import { type JsonSchema, referenceTo, toJsonSchemas, walkSchema } from './json-schema.ts';
import { readSourceComments, type SourceComments } from './source-comments.ts';

/** What a call takes and gives, as JSON Schema; a stream and an empty answer have none. */
export type Shapes = {
  comment?: string;
  params?: JsonSchema;
  query?: JsonSchema;
  body?: JsonSchema;
  response?: JsonSchema;
};

export type AllShapes = {
  /** What several calls share, by name. */
  components: Record<string, JsonSchema>;
  /** By the name of the call. */
  calls: Map<string, Shapes>;
};

type Declared = { name: string; schema: z.ZodType; comments: SourceComments | undefined };

const commentsOf = readComments();
const INPUTS = ['params', 'query', 'body'] as const;

/**
 * Every shape of the contracts. What a contract exports under a name of its own keeps it; where what is sent
 * differs from what is answered (defaults, other notations), the sent one is called `…Input`.
 */
export function describeShapes(): AllShapes {
  const named = listNamed();
  const inputs = convert(named, 'input', listParts(INPUTS));
  const outputs = convert(named, 'output', listParts(['response']));
  renameDiffering(inputs, outputs, named);
  const components = { ...pickNamed(outputs, named), ...pickNamed(inputs, named) };
  const calls = new Map(
    namedEndpoints.map(({ contract, name }) => {
      const comments = commentsOf(contract, name);
      const parts = [...INPUTS, 'response' as const].flatMap((part) => {
        const schema = (part === 'response' ? outputs : inputs).get(`${name}.${part}`);
        return schema ? [[part, describe(schema, { properties: comments?.properties })] as const] : [];
      });
      return [name, { ...(comments?.own && { comment: comments.own }), ...Object.fromEntries(parts) }];
    }),
  );
  return { components, calls };
}

function readComments(): (contract: string, name: string) => SourceComments | undefined {
  const names = Object.values(CONTRACTS).flatMap((exports) =>
    Object.entries(exports as Record<string, unknown>).flatMap(([name, value]) =>
      hasComponent(value) ? [name] : [],
    ),
  );
  const comments = readSourceComments(Object.keys(CONTRACTS).map(fileOf), new Set(names));
  return (contract, name) => comments.get(fileOf(contract))?.get(name);
}

/** Objects and lists of words; single values are written where they stand. */
function hasComponent(value: unknown): value is z.ZodType {
  return value instanceof z.ZodObject || value instanceof z.ZodEnum;
}

function fileOf(contract: string): string {
  return `${contract.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}.ts`;
}

/** What the contracts export under a name of its own. */
function listNamed(): Declared[] {
  return Object.entries(CONTRACTS).flatMap(([contract, exports]) =>
    Object.entries(exports as Record<string, unknown>).flatMap(([name, schema]) =>
      hasComponent(schema) ? [{ name, schema, comments: commentsOf(contract, name) }] : [],
    ),
  );
}

/** The anonymous parts of all calls, named by call and part. */
function listParts(parts: readonly ('params' | 'query' | 'body' | 'response')[]): Map<string, z.ZodType> {
  return new Map(
    namedEndpoints.flatMap(({ name, endpoint }) =>
      parts.flatMap((part): [string, z.ZodType][] => {
        const schema = endpoint[part];
        return schema instanceof z.ZodType ? [[`${name}.${part}`, schema]] : [];
      }),
    ),
  );
}

function convert(
  named: Declared[],
  io: 'input' | 'output',
  parts: Map<string, z.ZodType>,
): Map<string, JsonSchema> {
  const components = new Map(named.map(({ name, schema }) => [name, schema]));
  const names = new Map(named.map(({ name, schema }) => [schema, name]));
  // A part that has a name already would lose it by a second one.
  const anonymous = [...parts].filter(([, schema]) => !names.has(schema));
  const shared = new Map(anonymous.map(([part, schema]) => [schema, part]));
  const converted = toJsonSchemas(new Map([...components, ...[...shared].map(swap)]), io);
  for (const { name, comments } of named) converted.set(name, describe(converted.get(name)!, comments));
  for (const [part, schema] of parts) {
    const name = names.get(schema);
    converted.set(
      part,
      name ? { $ref: referenceTo(name) } : structuredClone(converted.get(shared.get(schema)!)!),
    );
  }
  return converted;
}

function swap<Key, Value>([key, value]: [Key, Value]): [Value, Key] {
  return [value, key];
}

/** Says of each property what its comment says. */
function describe(schema: JsonSchema, comments: Partial<SourceComments> | undefined): JsonSchema {
  if (!comments) return schema;
  if (comments.own && schema.$ref === undefined) schema = { description: comments.own, ...schema };
  walkSchema(schema, ({ properties }) => {
    for (const [name, property] of Object.entries((properties ?? {}) as Record<string, JsonSchema>)) {
      const description = comments.properties?.get(name);
      if (description !== undefined) property.description ??= description;
    }
  });
  return schema;
}

/** Gives what is sent another name wherever it is not what is answered, also by what it refers to. */
function renameDiffering(
  inputs: Map<string, JsonSchema>,
  outputs: Map<string, JsonSchema>,
  named: Declared[],
): void {
  const differing = new Set<string>();
  const names = named.map(({ name }) => name).filter((name) => !name.endsWith('Input'));
  for (let before = -1; before !== differing.size; ) {
    before = differing.size;
    for (const name of names) {
      const refersToOne = [...differing].some((other) => listReferences(inputs.get(name)!).has(other));
      if (refersToOne || !isDeepStrictEqual(inputs.get(name), outputs.get(name))) differing.add(name);
    }
  }
  for (const schema of inputs.values())
    walkSchema(schema, (each) => {
      const name = nameIn(each);
      if (name !== undefined && differing.has(name)) each.$ref = referenceTo(`${name}Input`);
    });
  for (const name of differing) {
    inputs.set(`${name}Input`, inputs.get(name)!);
    inputs.delete(name);
    named.push({ ...named.find((each) => each.name === name)!, name: `${name}Input` });
  }
}

function pickNamed(schemas: Map<string, JsonSchema>, named: Declared[]): Record<string, JsonSchema> {
  const names = new Set(named.map(({ name }) => name));
  return Object.fromEntries([...schemas].filter(([name]) => names.has(name)));
}

function listReferences(schema: JsonSchema): Set<string> {
  const names = new Set<string>();
  walkSchema(schema, (each) => {
    const name = nameIn(each);
    if (name !== undefined) names.add(name);
  });
  return names;
}

function nameIn({ $ref }: JsonSchema): string | undefined {
  return typeof $ref === 'string' ? $ref.slice(referenceTo('').length) : undefined;
}
