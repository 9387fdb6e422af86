import { parseSync, traverse, type types } from '@babel/core';
import type { ExtractorType } from '@lingui/conf';
import { generateMessageId } from '@lingui/message-utils/generateMessageId';
import { findSentences } from './sentence-messages.ts';

/**
 * Finds what the server translates: the messages of mails, `t('…')`, `t(isNew ? '…' : '…')` and `msg('…')` of
 * server/platform/mail/wording.ts, and the sentences of errors.
 */
export const mailMessages: ExtractorType = {
  // The repository itself may lie below a folder named server.
  match: (filename) => /\/server\/(?:features|platform)\/|\/contracts\/errors\.ts$/.test(filename),
  extract(filename, code, onMessageExtracted) {
    for (const { message, line } of [...findMessages(filename, code), ...findSentences(filename, code)])
      onMessageExtracted({
        id: generateMessageId(message),
        message,
        context: undefined,
        comment: undefined,
        placeholders: {},
        origin: [filename, line],
      });
  },
};

/** Throws for a text of a mail that is put together at run time, because it could not be translated. */
export function findMessages(filename: string, code: string): { message: string; line: number }[] {
  const program = parseSync(code, {
    filename,
    babelrc: false,
    configFile: false,
    parserOpts: { plugins: ['typescript'] },
  });
  if (!program) throw new Error(`${filename} is empty.`);
  const found: { message: string; line: number }[] = [];
  traverse(program, {
    CallExpression({
      node: {
        callee,
        arguments: [text],
        loc,
      },
    }) {
      if (!isMarker(callee) || !text) return;
      const line = loc?.start.line ?? 0;
      const messages = readTexts(text);
      if (!messages) throw new Error(`${filename}:${line}: the text of t() is not a literal.`);
      found.push(...messages.map((message) => ({ message, line })));
    },
  });
  return found;
}

/** `t(…)`, `wording.t(…)` and `msg(…)`. */
function isMarker(callee: types.Node): boolean {
  if (callee.type === 'MemberExpression') return isMarker(callee.property);
  return callee.type === 'Identifier' && (callee.name === 't' || callee.name === 'msg');
}

/** Undefined if the text is composed. A constant counts as none, because `msg` has marked it. */
function readTexts(node: types.Node): string[] | undefined {
  switch (node.type) {
    case 'StringLiteral':
      return [node.value];
    case 'ConditionalExpression': {
      const [yes, no] = [readTexts(node.consequent), readTexts(node.alternate)];
      return yes && no && [...yes, ...no];
    }
    case 'Identifier':
    case 'MemberExpression':
      return [];
    default:
      return undefined;
  }
}
