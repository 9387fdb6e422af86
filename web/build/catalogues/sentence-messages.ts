import { parseSync, traverse, type types } from '@babel/core';
import type { ExtractorType } from '@lingui/conf';

/**
 * Finds the sentences of the contracts: those of Zod's checks, of `message` and `error`, and those that functions
 * return; and the messages of the client's errors. Their ids are their texts, because pages translate a finished sentence
 * (see contracts/values/language/sentences.ts).
 */
export const contractSentences: ExtractorType = {
  match: (filename) => /\/(contracts|client)\//.test(filename),
  extract(filename, code, onMessageExtracted) {
    for (const { message, line } of findSentences(filename, code))
      onMessageExtracted({
        id: message,
        message: undefined,
        context: undefined,
        comment: undefined,
        placeholders: {},
        origin: [filename, line],
      });
  },
};

const CHECKS =
  /^(min|max|length|int|regex|refine|literal|enum|url|uuid|datetime|startsWith|requiredText|textUpTo|lineUpTo)$/;
const THROWN = /^(AppError|OutgoingRefusal|PrivateNetworkRefusal)$/;
const SHOWN = /^(message|error|label)$/;

/** Seen by programs only, which get English. */
const FOR_PROGRAMS =
  /^(tus_|bad_digest|digest_|wrong_chunk|wrong_total|chunk_|chunks_|bad_idem|idempotency_|bad_webhook|upload_offset|json_too|malformed_json|range_not|unsupported_media|api_key_(malformed|scope|not_taken|inactive|expired|unknown)|api_limit)/;

type Found = { message: string; line: number };

/** The parts of a sentence that are only known at run time become `{0}`, `{1}` … */
export function findSentences(filename: string, code: string): Found[] {
  const isContract = contractSentences.match(filename);
  const program = parseSync(code, {
    filename,
    babelrc: false,
    configFile: false,
    parserOpts: { plugins: ['typescript'] },
  });
  if (!program) return [];
  const constants = new Map<string, types.Node[]>();
  traverse(program, {
    VariableDeclarator({ node: { id, init } }) {
      if (id.type === 'Identifier' && init) constants.set(id.name, [...(constants.get(id.name) ?? []), init]);
    },
  });
  const found: Found[] = [];
  const add = (node: types.Node | null | undefined): void => {
    for (const text of readTexts(node))
      if (/^(?:[A-Z]|\{\w+\}:? \w).* |^[A-Z]\w+$/.test(text))
        found.push({ message: text, line: node?.loc?.start.line ?? 0 });
  };
  const addAll = (node: types.Node | null | undefined): void => {
    if (node?.type === 'ObjectExpression')
      for (const property of node.properties) {
        if (property.type === 'ObjectProperty' && !isName(property.key, 'details')) addAll(property.value);
        else if (property.type === 'ObjectProperty' && property.value.type === 'ObjectExpression')
          for (const detail of property.value.properties)
            if (detail.type === 'ObjectProperty' && isName(detail.key, 'reason', 'feature'))
              addAll(detail.value);
      }
    else if (node?.type === 'Identifier') for (const value of constants.get(node.name) ?? []) add(value);
    else add(node);
  };
  traverse(program, {
    CallExpression({ node: { callee, arguments: args } }) {
      const name = nameOf(callee);
      if (isContract && (CHECKS.test(name) || callee.type === 'Super')) args.forEach(addAll);
      if (!isContract && name === 'declined') args.forEach(addAll);
    },
    NewExpression({ node: { callee, arguments: args } }) {
      if (THROWN.test(nameOf(callee))) args.forEach(addAll);
    },
    ObjectProperty({ node: { key, value }, parentPath }) {
      if (!isContract || key.type !== 'Identifier' || !SHOWN.test(key.name)) return;
      const owner = parentPath.parent;
      const isProgram = owner.type === 'ObjectProperty' && FOR_PROGRAMS.test(nameOf(owner.key));
      if (!isProgram) addAll(value);
    },
    ClassProperty({ node: { key, value } }) {
      if (isContract && isName(key, 'sentence')) add(value);
    },
    ReturnStatement({ node: { argument } }) {
      if (isContract) add(argument);
    },
  });
  return found;
}

function nameOf(node: types.Node): string {
  if (node.type === 'MemberExpression') return nameOf(node.property);
  return node.type === 'Identifier' ? node.name : '';
}

function isName(node: types.Node, ...names: string[]): boolean {
  return names.includes(nameOf(node));
}

function readTexts(node: types.Node | null | undefined): string[] {
  switch (node?.type) {
    case 'StringLiteral':
      return [node.value];
    case 'TemplateLiteral':
      return [node.quasis.map(({ value }, index) => (index ? `{${index - 1}}` : '') + value.cooked).join('')];
    case 'ConditionalExpression':
      return [...readTexts(node.consequent), ...readTexts(node.alternate)];
    default:
      return [];
  }
}
