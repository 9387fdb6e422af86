import assert from 'node:assert/strict';
import type { ErrorObject, ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { NamedEndpoint } from '../../contracts/all-endpoints.ts';
import type { OpenApiDocument, Operation } from '../../server/features/api-docs/document.ts';
import { toTemplate } from '../../server/features/api-docs/operations.ts';
import { walkSchema } from '../../server/features/api-docs/schemas.ts';

type Described = {
  description: string;
  headers?: Record<string, { $ref?: string }>;
  content?: Record<string, { schema?: object }>;
};

/** Documented headers that not every response has. */
const SOMETIMES = new Set(['link', 'retry-after', 'idempotency-replayed']);

export class OpenApiChecker {
  readonly document: OpenApiDocument;
  readonly #ajv: Ajv2020;
  readonly #compiled = new Map<string, ValidateFunction>();

  constructor(document: OpenApiDocument) {
    this.document = document;
    this.#ajv = new Ajv2020({ strict: false, allErrors: true });
    addFormats.default(this.#ajv);
    this.#ajv.addSchema(closeShapes(this.document), 'api');
  }

  operationOf({ endpoint: { method, path } }: NamedEndpoint): Operation {
    return this.document.paths[toTemplate(path)]![method.toLowerCase()]!;
  }

  /** Throws unless the document describes this response to the call. */
  async check(call: NamedEndpoint, answer: Response): Promise<void> {
    const { status } = answer;
    const label = `${call.name} answers ${status}`;
    const described = this.operationOf(call).responses[status];
    assert.ok(described, `${label}, which the document does not say`);
    const pointer = `paths/${escapeKey(toTemplate(call.endpoint.path))}/${call.endpoint.method.toLowerCase()}/responses/${status}`;
    const { target, at } = this.#follow(described as Described & { $ref?: string }, pointer);
    for (const header of Object.keys(target.headers ?? {}))
      assert.ok(
        SOMETIMES.has(header.toLowerCase()) || answer.headers.has(header) || isOtherCaller(header, answer),
        `${label} without ${header}`,
      );
    await this.#checkContent({ label, target, at, isHead: call.endpoint.method === 'HEAD' }, answer);
  }

  async #checkContent(
    { label, target, at, isHead }: { label: string; target: Described; at: string; isHead: boolean },
    answer: Response,
  ): Promise<void> {
    const body = await answer.text();
    if (isHead) return;
    if (!target.content) return assert.equal(body, '', `${label} with a body`);
    const type = answer.headers.get('content-type')!.split(';', 1)[0]!;
    const range = Object.keys(target.content).find((each) => matches(each, type));
    assert.ok(range, `${label} as ${type}, which the document does not say`);
    const schema = target.content[range]!.schema;
    if (!schema) return;
    const value = type.endsWith('json') ? JSON.parse(body) : body;
    this.#validate(`${at}/content/${escapeKey(range)}/schema`, value, label);
  }

  #validate(pointer: string, value: unknown, label: string): void {
    let validate: ValidateFunction | undefined = this.#compiled.get(pointer);
    if (!validate) {
      validate = this.#ajv.compile({ $ref: `api#/${pointer}` });
      this.#compiled.set(pointer, validate);
    }
    validate(value);
    assert.equal(describeErrors(validate.errors), '', `${label}: ${JSON.stringify(value).slice(0, 500)}`);
  }

  #follow(described: Described & { $ref?: string }, pointer: string): { target: Described; at: string } {
    if (!described.$ref) return { target: described, at: pointer };
    const name = described.$ref.split('/').at(-1)!;
    return {
      target: this.document.components.responses![name] as Described,
      at: `components/responses/${name}`,
    };
  }
}

/** True for headers that only callers with an API key get, if this response has none of them. */
function isOtherCaller(header: string, { headers }: Response): boolean {
  return /^(?:ratelimit|www-authenticate)/i.test(header) && !headers.has('ratelimit');
}

/** Refuses undocumented fields: the document allows responses to gain fields, but must describe today's. */
function closeShapes(document: OpenApiDocument): object {
  const closed = structuredClone(document);
  const { Problem: _, ...schemas } = closed.components.schemas;
  const open = new Set(Object.keys(schemas).filter((name) => name.endsWith('Input')));
  const close = (part: unknown) =>
    walkSchema(part, (schema) => {
      if (schema.properties && schema.type === 'object') schema.additionalProperties ??= false;
    });
  for (const [name, schema] of Object.entries(schemas)) if (!open.has(name)) close(schema);
  for (const path of Object.values(closed.paths))
    for (const { responses } of Object.values(path)) close(responses);
  return closed;
}

function matches(range: string, type: string): boolean {
  return range === type || range === '*/*' || (range.endsWith('/*') && type.startsWith(range.slice(0, -1)));
}

function escapeKey(key: string): string {
  return encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'));
}

function describeErrors(errors: ErrorObject[] | null | undefined): string {
  return (errors ?? [])
    .map(({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`)
    .join('; ');
}
