import { type ESTree, type Plugin, Visitor } from 'vite';

const PLAIN = '?plain';

/** Functions of contracts that make schemas, in other modules than their own. */
const SCHEMA_MAKERS = ['z', 'textUpTo', 'lineUpTo', 'requiredText', 'blankAsAbsent'];

/**
 * Splits each contract into a module with its schemas, which bind the server and would add zod (25 kB), and one
 * without: methods and paths of endpoints, constants and functions. Pages load the schemas only where a form validates
 * with them.
 */
export function splitContracts(): Plugin {
  const plain = new Map<string, string>();
  return {
    name: 'split-contracts',
    resolveId: (id) => (id.endsWith(PLAIN) ? id : undefined),
    load(id) {
      const code = plain.get(id);
      return code === undefined ? undefined : { code, moduleSideEffects: false };
    },
    transform: {
      filter: { id: /\/contracts\/[\w/-]+\.ts$/, code: /from ['"]zod(?:\/mini)?['"]|defineEndpoint\(/ },
      handler(code, id) {
        const parts = splitContract(this.parse(code).body, code);
        plain.set(id + PLAIN, parts.plain);
        const names = parts.shared.join(', ');
        const lines = [
          `export * from ${JSON.stringify(id + PLAIN)};`,
          names && `import { ${names} } from ${JSON.stringify(id + PLAIN)};`,
          parts.schemas,
        ];
        return { code: lines.join('\n'), map: null, moduleSideEffects: false };
      },
    },
  };
}

type Statement = ESTree.Statement | ESTree.Directive;
type Declared = { text: string; names: string[]; uses: Set<string>; isExported: boolean };

type Parts = {
  plain: string;
  schemas: string;
  /** Names of the plain part that the schemas use. */
  shared: string[];
};

function splitContract(statements: Statement[], code: string): Parts {
  const textOf = ({ start, end }: ESTree.Span) => code.slice(start, end);
  const imports = statements.filter((statement) => statement.type === 'ImportDeclaration');
  const declared = statements
    .filter((statement) => statement.type !== 'ImportDeclaration')
    .map((statement): Declared => {
      const text = bareEndpoint(statement, textOf);
      if (text) return { text, names: namesOf(statement), uses: new Set(), isExported: true };
      const isExported = statement.type === 'ExportNamedDeclaration';
      return { text: textOf(statement), names: namesOf(statement), uses: usedNames(statement), isExported };
    });
  const schemas = findSchemas(imports.flatMap(importedNames), declared);
  const inPlain = declared.filter((each) => !schemas.has(each));
  const used = new Set([...schemas].flatMap(({ uses }) => [...uses]));
  const importsText = imports.map((each) => textOf(each)).join('\n');
  return {
    plain: [
      importsText,
      ...inPlain.map(({ text, isExported }) => (isExported ? text : `export ${text}`)),
    ].join('\n'),
    schemas: [importsText, ...[...schemas].map(({ text }) => text)].join('\n'),
    shared: inPlain.flatMap(({ names }) => names).filter((name) => used.has(name)),
  };
}

/** Statements that contain a schema or use one. By convention, schemas and nothing else are named in PascalCase. */
function findSchemas(imported: string[], declared: Declared[]): Set<Declared> {
  const isSchema = (name: string) => SCHEMA_MAKERS.includes(name) || /^[A-Z][a-z]/.test(name);
  const names = new Set(imported.filter(isSchema));
  const found = new Set<Declared>();
  for (let before = -1; before < found.size; ) {
    before = found.size;
    for (const each of declared) {
      if (!found.has(each) && (each.names.length === 0 || [...each.uses].some((name) => names.has(name)))) {
        found.add(each);
        for (const name of each.names) names.add(name);
      }
    }
  }
  return found;
}

function importedNames({ specifiers }: ESTree.ImportDeclaration): string[] {
  return specifiers.map(({ local }) => local.name);
}

function namesOf(statement: Statement): string[] {
  const declaration = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement;
  if (declaration?.type === 'VariableDeclaration')
    return declaration.declarations.flatMap(({ id }) => (id.type === 'Identifier' ? id.name : []));
  if (declaration?.type === 'FunctionDeclaration' || declaration?.type === 'ClassDeclaration')
    return declaration.id ? [declaration.id.name] : [];
  return [];
}

function usedNames(statement: Statement): Set<string> {
  const names = new Set<string>();
  const program = { type: 'Program', body: [statement] } as unknown as ESTree.Program;
  new Visitor({ Identifier: ({ name }) => void names.add(name) }).visit(program);
  return names;
}

/** `export const name = { method, path }` for an endpoint; '' for other statements. */
function bareEndpoint(statement: Statement, textOf: (node: ESTree.Span) => string): string {
  if (statement.type !== 'ExportNamedDeclaration') return '';
  if (statement.declaration?.type !== 'VariableDeclaration') return '';
  const [{ id, init }] = statement.declaration.declarations as [ESTree.VariableDeclarator];
  if (init?.type !== 'CallExpression' || textOf(init.callee) !== 'defineEndpoint') return '';
  const [endpoint] = init.arguments;
  if (endpoint?.type !== 'ObjectExpression') return '';
  return `export const ${textOf(id)} = { ${endpoint.properties.filter(isRead).map(textOf).join(', ')} };`;
}

/** Properties that pages need: the address, and whether a response has content. */
function isRead(property: ESTree.ObjectPropertyKind): boolean {
  if (property.type !== 'Property' || property.key.type !== 'Identifier') return false;
  const { name } = property.key;
  return name === 'method' || name === 'path' || (name === 'response' && property.value.type === 'Literal');
}
