import type { OpenApiDocument, Operation } from './document.ts';
import type { JsonSchema } from './schemas.ts';

type Parameter = { name: string; in: string; required?: boolean; description?: string; schema: JsonSchema };
type Listed = { method: string; path: string; operation: Operation };

export function toMarkdown(document: OpenApiDocument): string {
  const { info, tags, paths, components } = document;
  const calls = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
  const chapters = tags.map(({ name, description }) => {
    const own = calls.filter(({ operation }) => operation.tags.includes(name));
    return `## ${name}\n\n${description}\n\n${own.map((call) => describeCall(call, components)).join('\n\n')}`;
  });
  const shapes = Object.entries(components.schemas).map(
    ([name, schema]) => `### ${name}\n\n${describeShape(schema)}`,
  );
  return [
    `# ${info.title}`,
    'Written by `npm run api-docs` from `contracts/`: change it there. The same as OpenAPI 3.1 is at `/api/openapi.json`, as a page at `/docs/api`.',
    info.description.trim(),
    ...chapters,
    `## Shapes\n\n${shapes.join('\n\n')}`,
    '',
  ].join('\n\n');
}

function describeCall(
  { method, path, operation }: Listed,
  components: OpenApiDocument['components'],
): string {
  const { operationId, summary, description, parameters = [], requestBody, responses } = operation;
  const named = parameters.map((parameter) => follow(parameter, components) as Parameter);
  const statuses = Object.keys(responses).filter((status) => status !== 'default');
  return [
    `### \`${method} ${path}\``,
    `**${operationId}**: ${summary}. ${description.replaceAll('\n\n', ' ')}`,
    named.length > 0 ? named.map(describeParameter).join('\n') : undefined,
    requestBody && `Takes ${describeContent(requestBody.content)}`,
    `Answers ${statuses
      .filter((status) => status < '4')
      .map((status) => describeAnswer(status, responses[status]!))
      .join('; ')}. ` + `Refuses with ${statuses.filter((status) => status >= '4').join(', ')}.`,
  ]
    .filter(Boolean)
    .join('\n\n');
}

function describeParameter({ name, in: place, required, description, schema }: Parameter): string {
  const marks = [place, typeOf(schema), required ? 'required' : undefined].filter(Boolean).join(', ');
  return `- \`${name}\` (${marks})${description ? `: ${description}` : ''}`;
}

function describeAnswer(status: string, response: object): string {
  const { content } = response as { content?: Record<string, { schema?: JsonSchema }> };
  return content ? `${status} with ${describeContent(content)}` : status;
}

function describeContent(content: Record<string, { schema?: JsonSchema }>): string {
  return Object.entries(content)
    .map(([type, { schema }]) => (schema ? `\`${type}\`: ${typeOf(schema)}` : `\`${type}\``))
    .join(' or ');
}

function describeShape(schema: JsonSchema): string {
  const { properties, required = [], description } = schema;
  const rows = Object.entries((properties ?? {}) as Record<string, JsonSchema>).map(([name, property]) => {
    const optional = (required as string[]).includes(name) ? '' : ', optional';
    const sentence = property.description ? `: ${property.description}` : '';
    return `- \`${name}\` (${typeOf(property)}${optional})${sentence}`;
  });
  const lines = rows.length > 0 ? rows.join('\n') : typeOf(schema);
  return [description, lines].filter(Boolean).join('\n\n');
}

function typeOf(schema: JsonSchema): string {
  const { $ref, anyOf, oneOf, allOf, type, enum: words, items, properties, format } = schema;
  if (typeof $ref === 'string') return nameLink($ref);
  const choices = (anyOf ?? oneOf) as JsonSchema[] | undefined;
  if (choices) return [...new Set(choices.map(typeOf))].join(' or ');
  if (allOf) return (allOf as JsonSchema[]).map(typeOf).join(' and ');
  if (words) return (words as unknown[]).map((word) => `\`${word}\``).join(', ');
  if ('const' in schema) return `\`${schema.const}\``;
  if (type === 'array') return `list of ${typeOf((items ?? {}) as JsonSchema)}`;
  if (properties) return `{ ${Object.entries(properties).map(listField(schema)).join(', ')} }`;
  const name = Array.isArray(type) ? type.join(' or ') : ((type as string | undefined) ?? 'anything');
  return format === undefined || format === 'int64' ? name : `${name}, ${format}`;
}

function listField({ required = [] }: JsonSchema) {
  return ([name, schema]: [string, unknown]) =>
    `\`${name}\`${(required as string[]).includes(name) ? '' : '?'}: ${typeOf(schema as JsonSchema)}`;
}

function nameLink($ref: string): string {
  const name = $ref.split('/').at(-1)!;
  return `[${name}](#${name.toLowerCase()})`;
}

function follow(part: object, components: OpenApiDocument['components']): object {
  const { $ref } = part as { $ref?: string };
  const [kind, name] = $ref?.split('/').slice(-2) ?? [];
  return kind !== undefined && name !== undefined ? components[kind]![name]! : part;
}
