import { type ESTree, type Plugin, Visitor } from 'vite';

/**
 * Leaves `.describe(…)` and `.meta(…)` out of the contracts that pages load: they feed the API document, which only the
 * server generates, and change nothing about validation.
 */
export function stripMetadata(): Plugin {
  return {
    name: 'strip-metadata',
    transform: {
      filter: { id: /\/contracts\/[\w/-]+\.ts$/, code: /\.(?:describe|meta)\(/ },
      handler(code) {
        const kept: string[] = [];
        let from = 0;
        for (const { start, end } of findMetadata(this.parse(code))) {
          kept.push(code.slice(from, start));
          from = end;
        }
        kept.push(code.slice(from));
        return { code: kept.join(''), map: null };
      },
    },
  };
}

/** The spans of the calls, without the schemas they are called on, in source order. */
function findMetadata(program: ESTree.Program): ESTree.Span[] {
  const calls: ESTree.Span[] = [];
  new Visitor({
    CallExpression({ callee, end }) {
      if (callee.type !== 'MemberExpression' || callee.property.type !== 'Identifier') return;
      if (!['describe', 'meta'].includes(callee.property.name)) return;
      // `.check(z.describe(…))` of zod/mini, where the call is an argument.
      if (callee.object.type === 'Identifier' && callee.object.name === 'z') return;
      calls.push({ start: callee.object.end, end });
    },
  }).visit(program);
  return calls.sort((one, other) => one.start - other.start);
}
