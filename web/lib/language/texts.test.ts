import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { type ESTree, parseSync } from 'vite';
import { test } from 'vitest';

const WEB = new URL('../../', import.meta.url).pathname;

/** `Trans` translates its own text, and code is the same in every language. */
const NOT_CHECKED = new Set(['Trans', 'code', 'pre', 'kbd', 'Code', 'Key']);

/** Attributes and properties that people see or hear. */
const SHOWN =
  /^(title|label|description|hint|placeholder|alt|note|summary|aria-label|aria-valuetext|\w+Label)$/;

/** Names, sizes, addresses, codes and file endings, which are the same in every language. */
const SAME_EVERYWHERE = [
  /^(Sendwell|SHA-?256|SHA256SUMS|CSV|JSON|REST API|MM\/YY|CVC|https?:\S*)$/,
  /^\d+ ?[KMGT]B$/,
  /^[A-Z]{3} [A-Z]{3}$/,
  /^[\w@.-]+\.(example|org|com)(, [\w.-]+)*$/,
  /^[a-z]{3,4}(, [a-z]{3,4})+$/,
];

test('every text of the pages goes through the message catalogues', () => {
  const found = globSync('**/*.{ts,tsx}', {
    cwd: WEB,
    exclude: ['node_modules/**', 'testing/**', 'build/**'],
  })
    .filter((file) => !/\.test\.tsx?$/.test(file))
    .flatMap((file) => findTexts(file, readFileSync(WEB + file, 'utf8')));
  assert.deepEqual(found, [], 'Wrap these texts: t`…` or <Trans>…</Trans>, then run `npm run messages`.');
});

function findTexts(file: string, code: string): string[] {
  const texts: string[] = [];
  const add = (node: ESTree.Span, text: string) => {
    const words = text.trim().replaceAll(/\s+/g, ' ');
    if (!/\p{L}{2}/u.test(words) || SAME_EVERYWHERE.some((each) => each.test(words))) return;
    texts.push(`${file}:${code.slice(0, node.start).split('\n').length}: ${words}`);
  };
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    const { type } = node as { type?: string };
    if (type === 'JSXElement' && NOT_CHECKED.has(nameOf((node as ESTree.JSXElement).openingElement.name)))
      return;
    if (type === 'JSXText') add(node as ESTree.JSXText, (node as ESTree.JSXText).value);
    if (type === 'JSXAttribute' || type === 'Property') {
      const { name, value } = readPair(node as ESTree.JSXAttribute | ESTree.ObjectProperty);
      if (
        SHOWN.test(name) &&
        value?.type === 'Literal' &&
        typeof value.value === 'string' &&
        value.value !== name
      )
        add(value, value.value);
    }
    for (const child of Object.values(node)) visit(child);
  };
  visit(parseSync(file, code).program);
  return texts;
}

function readPair(node: ESTree.JSXAttribute | ESTree.ObjectProperty) {
  if (node.type === 'JSXAttribute') return { name: nameOf(node.name), value: node.value };
  const { key } = node;
  const name = key.type === 'Identifier' ? key.name : '';
  return { name, value: node.value };
}

function nameOf(name: ESTree.JSXElementName | ESTree.JSXAttributeName): string {
  return name.type === 'JSXIdentifier' ? name.name : '';
}
