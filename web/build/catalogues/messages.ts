import { transformAsync } from '@babel/core';
import macros from '@lingui/babel-plugin-lingui-macro';
import { makeConfig } from '@lingui/conf';
import { compileMessageOrThrow } from '@lingui/message-utils/compileMessage';
import { lingui } from '@lingui/vite-plugin';
import type { ESTree, Plugin, PluginOption } from 'vite';
import { catalogues } from './catalogues.ts';
import linguiConfig, { LANGUAGE_MODULE } from './lingui.config.ts';

/**
 * Compiles message macros and catalogues. English stays in the code and is parsed here, so a page needs neither a
 * catalogue nor a parser (6 kB), and a sentence without a translation is shown in English. `languageModule`: exports the
 * `i18n` that the macros use.
 */
export function messages({ languageModule = LANGUAGE_MODULE } = {}): PluginOption {
  const configPath = new URL('lingui.config.ts', import.meta.url).pathname;
  return [
    catalogues(),
    expandMacros(languageModule),
    parseMessages(languageModule),
    lingui({ configPath, failOnCompileError: true }),
  ];
}

/**
 * Lingui's Vite plugin could do this too, but with a native library: an optional package for Node 22 and newer, which
 * npm therefore leaves out when it runs on Node 20.
 */
function expandMacros(languageModule: string): Plugin {
  const config = makeConfig({
    ...linguiConfig,
    runtimeConfigModule: { i18n: [languageModule, 'i18n'], Trans: [languageModule, 'Trans'] },
  });
  return {
    name: 'expand-message-macros',
    enforce: 'pre',
    transform: {
      filter: { id: /\.tsx?$/, code: /from ['"]@lingui\/(?:core|react)\/macro['"]/ },
      async handler(code, id) {
        const result = await transformAsync(code, {
          filename: id,
          babelrc: false,
          configFile: false,
          sourceMaps: true,
          parserOpts: { plugins: id.endsWith('x') ? ['typescript', 'jsx'] : ['typescript'] },
          plugins: [[macros, { linguiConfig: config, descriptorFields: 'message' }]],
        });
        return { code: result?.code ?? code, map: result?.map ?? null };
      },
    },
  };
}

/** Parses messages as Lingui parses those of catalogues. */
function parseMessages(languageModule: string): Plugin {
  return {
    name: 'parse-messages',
    enforce: 'post',
    transform: {
      filter: { code: languageModule },
      handler(code) {
        let parsed = code;
        // From the end, so that earlier positions stay valid.
        for (const text of findMessages(this.parse(code)).toSorted((a, b) => b.start - a.start)) {
          const tokens = JSON.stringify(compileMessageOrThrow(text.value));
          parsed = parsed.slice(0, text.start) + tokens + parsed.slice(text.end);
        }
        return { code: parsed, map: null };
      },
    },
  };
}

/** The texts of the `{ id, message }` objects that the macros produced. */
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
