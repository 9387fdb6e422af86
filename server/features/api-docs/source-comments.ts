import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What the comments of a declaration in `contracts/` say. */
export type SourceComments = {
  /** Above the declaration itself. */
  own?: string;
  /** Above its properties, by name; those of what it extends among them. */
  properties: Map<string, string>;
};

type Block = { own?: string; isExported: boolean; text: string };
type World = { blocks: Map<string, Block>; hasComponent: Set<string> };

const CONTRACTS = join(import.meta.dirname, '../../../contracts');
const DECLARATION = /(?:\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n)?(?:export )?const (\w+)\b[^\n]*/gm;

/**
 * The comments of these contracts' files, by file and by the name of what they are about: units and meanings
 * are written once, there, and the API document repeats them. `hasComponent` are the names that a shape
 * refers to rather than holding what they stand for.
 */
export function readSourceComments(
  fileNames: string[],
  hasComponent: Set<string>,
): Map<string, Map<string, SourceComments>> {
  const files = new Map(
    fileNames.map((name) => [name, listBlocks(readFileSync(join(CONTRACTS, name), 'utf8'))]),
  );
  const everywhere = [...files.values()].flatMap((blocks) =>
    [...blocks].filter(([, { isExported }]) => isExported),
  );
  return new Map(
    [...files].map(([fileName, own]) => {
      const blocks = new Map([...everywhere, ...own]);
      const ofName = (name: string) => ({
        ...(own.get(name)!.own && { own: own.get(name)!.own }),
        properties: listProperties({ blocks, hasComponent }, name),
      });
      return [fileName, new Map([...own.keys()].map((name) => [name, ofName(name)]))];
    }),
  );
}

/** Each declaration with its text, which ends where the next one begins. */
function listBlocks(source: string): Map<string, Block> {
  const starts = [...source.matchAll(DECLARATION)].filter(
    ({ index }) => index === 0 || source[index - 1] === '\n',
  );
  return new Map(
    starts.map((start, position) => {
      const text = source.slice(start.index, starts[position + 1]?.index);
      const own = toSentences(start[1] ?? '');
      return [start[2]!, { ...(own && { own }), isExported: /^export const/m.test(start[0]), text }];
    }),
  );
}

function listProperties(world: World, name: string, above: string[] = []): Map<string, string> {
  const { text } = world.blocks.get(name)!;
  const properties = new Map<string, string>();
  for (const base of listBases(world, text)) {
    if (base === name || above.includes(base)) continue;
    for (const each of listProperties(world, base, [...above, name])) properties.set(...each);
  }
  for (const [, comment, property] of text.matchAll(/^ +\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s+(\w+):/gm))
    properties.set(property!, toSentences(comment!));
  return properties;
}

/** What a declaration is made of: what it extends, and what has no component of its own. */
function listBases({ blocks, hasComponent }: World, text: string): string[] {
  const body = text.slice(text.indexOf('='));
  const uses = body.matchAll(/\b([A-Z]\w*)\b(\.(?:extend|shape|partial|pick|omit)\b)?/g);
  const bases = [...uses].filter(
    ([, base, extension]) => blocks.has(base!) && (extension !== undefined || !hasComponent.has(base!)),
  );
  return [...new Set(bases.map(([, base]) => base!))];
}

/** Names of papers that only we have. */
const OURS =
  /\s*\((?:[^()]*\b(?:specification|decisions)\b[^()]*(?:\([^()]*\))?)+\)|\b(?:Specification sections?|Decisions,)[^.]*\.(?:\s|$)/gi;

function toSentences(comment: string): string {
  return comment
    .replace(/^\s*\* ?/gm, '')
    .replace(/\s+/g, ' ')
    .replace(OURS, '')
    .trim();
}
