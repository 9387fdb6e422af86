import { compileMessageOrThrow } from '@lingui/message-utils/compileMessage';
import { lingui } from '@lingui/vite-plugin';
import type { ESTree, Plugin, PluginOption } from 'vite';

const LANGUAGE_MODULE = new URL('../lib/language/messages.tsx', import.meta.url).pathname;

/**
 * Compiles the message macros. English stays in the code and is parsed here, so a page needs neither a catalogue nor
 * a parser (6 kB), and a sentence without a translation is shown in English.
 */
export function messages(): PluginOption {
  const macros = lingui({
    configPath: new URL('lingui.config.ts', import.meta.url).pathname,
    failOnCompileError: true,
    macroTransform: {
      macro: {
        descriptorFields: 'message',
        runtimeModules: { i18n: [LANGUAGE_MODULE, 'i18n'], Trans: [LANGUAGE_MODULE, 'Trans'] },
      },
    },
  });
  return [macros, parseMessages()];
}

/** Parses messages as Lingui parses those of catalogues. */
function parseMessages(): Plugin {
  return {
    name: 'parse-messages',
    enforce: 'post',
    transform: {
      filter: { code: LANGUAGE_MODULE },
      handler(code) {
        let parsed = code;
        // From the end, so that the positions before stay right.
        for (const text of findMessages(this.parse(code)).toSorted((a, b) => b.start - a.start)) {
          const tokens = JSON.stringify(compileMessageOrThrow(text.value));
          parsed = parsed.slice(0, text.start) + tokens + parsed.slice(text.end);
        }
        return { code: parsed, map: null };
      },
    },
  };
}

/** The text in each `{ id, message }` that the macros wrote. */
function findMessages(program: ESTree.Program): ESTree.StringLiteral[] {
  const found: ESTree.StringLiteral[] = [];
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    const text = messageIn(node as ESTree.Node);
    if (text) found.push(text);
    for (const child of Object.values(node)) visit(child);
  };
  visit(program);
  return found;
}

function messageIn(node: ESTree.Node): ESTree.StringLiteral | undefined {
  if (node.type !== 'ObjectExpression') return undefined;
  const find = (name: string) =>
    node.properties
      .filter((property) => property.type === 'Property')
      .find(({ key }) => key.type === 'Identifier' && key.name === name)?.value;
  const message = find('message');
  const isMessage = find('id') && message?.type === 'Literal' && typeof message.value === 'string';
  return isMessage ? (message as ESTree.StringLiteral) : undefined;
}
