import type { ESTree, Plugin } from 'vite';

const CALLS = '?calls';

/**
 * For pages that only call endpoints, replaces contracts by method and path, without the schemas, which bind the
 * server and would add zod (25 kB). Each `export const … = defineEndpoint({ … })` becomes a module of its own; the
 * rest of the contract is loaded where a form validates with its schemas.
 */
export function bareCalls(): Plugin {
  const calls = new Map<string, string>();
  return {
    name: 'bare-calls',
    resolveId: (id) => (id.endsWith(CALLS) ? id : undefined),
    load: (id) => calls.get(id),
    transform: {
      filter: { id: /\/contracts\/[\w/-]+\.ts$/, code: 'defineEndpoint(' },
      handler(code, id) {
        const statements = this.parse(code).body;
        const textOf = ({ start, end }: ESTree.Span) => code.slice(start, end);
        const bare = statements.map((statement) => bareCall(statement, textOf));
        calls.set(id + CALLS, bare.join(''));
        const rest = statements.filter((_statement, index) => bare[index] === '').map(textOf);
        const reexport = `export * from ${JSON.stringify(id + CALLS)};`;
        return { code: [reexport, ...rest].join('\n'), map: null, moduleSideEffects: false };
      },
    },
  };
}

/** '' for statements that don't define an endpoint. */
function bareCall(
  statement: ESTree.Statement | ESTree.Directive,
  textOf: (node: ESTree.Span) => string,
): string {
  if (statement.type !== 'ExportNamedDeclaration') return '';
  if (statement.declaration?.type !== 'VariableDeclaration') return '';
  const [{ id, init }] = statement.declaration.declarations as [ESTree.VariableDeclarator];
  if (init?.type !== 'CallExpression' || textOf(init.callee) !== 'defineEndpoint') return '';
  const [endpoint] = init.arguments;
  if (endpoint?.type !== 'ObjectExpression') return '';
  return `export const ${textOf(id)} = { ${endpoint.properties.filter(isRead).map(textOf).join(', ')} };\n`;
}

/** Properties that pages need: the address, and whether a response has content. */
function isRead(property: ESTree.ObjectPropertyKind): boolean {
  if (property.type !== 'Property' || property.key.type !== 'Identifier') return false;
  const { name } = property.key;
  return name === 'method' || name === 'path' || (name === 'response' && property.value.type === 'Literal');
}
