import { type ESTree, type Plugin, Visitor } from 'vite';
import { ERRORS, type ErrorCode } from '../../contracts/errors.ts';

type Change = ESTree.Span & { text: string };

/**
 * Replaces `ERRORS.code` and `errorMessage('code')` by that error, so that pages don't load the list of all errors
 * (4 kB) for a few sentences.
 */
export function inlineErrors(): Plugin {
  return {
    name: 'inline-errors',
    transform: {
      filter: { id: /\/web\/.*\.tsx?$/, code: /contracts\/errors\.ts/ },
      handler(code) {
        let changed = code;
        // From the end, so that earlier positions stay valid.
        for (const { start, end, text } of findErrors(this.parse(code)).toSorted((a, b) => b.start - a.start))
          changed = changed.slice(0, start) + text + changed.slice(end);
        return { code: changed, map: null };
      },
    },
  };
}

function findErrors(program: ESTree.Program): Change[] {
  const changes: Change[] = [];
  const replace = ({ start, end }: ESTree.Span, value: unknown) => {
    changes.push({ start, end, text: `(${JSON.stringify(value)})` });
  };
  new Visitor({
    CallExpression(call) {
      const [code, details] = call.arguments;
      if (!isNamed(call.callee, 'errorMessage') || code?.type !== 'Literal' || details) return;
      replace(call, ERRORS[code.value as ErrorCode].message);
    },
    MemberExpression(member) {
      if (!isNamed(member.object, 'ERRORS') || member.property.type !== 'Identifier') return;
      replace(member, ERRORS[member.property.name as ErrorCode]);
    },
  }).visit(program);
  return changes;
}

function isNamed(node: ESTree.Node, name: string): boolean {
  return node.type === 'Identifier' && node.name === name;
}
