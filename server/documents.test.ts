import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import test from 'node:test';

const ROOT = join(import.meta.dirname, '..');

const DOCUMENTS = [
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  ...globSync('docs/**/*.md', { cwd: ROOT }),
].sort();
const GUIDES = DOCUMENTS.filter((path) =>
  /^(ARCHITECTURE|CONTRIBUTING)\.md$|^docs\/architecture\//.test(path),
);

test('every relative link of the documents leads to a file, and its anchor to a heading', () => {
  const links = DOCUMENTS.flatMap((document) => linksOf(document).map((link) => ({ document, link })));
  assert.ok(links.length > 100, `found only ${links.length} links`);
  const broken = links.filter(({ document, link }) => isBroken(document, link));
  assert.deepEqual(
    broken.map(({ document, link }) => `${document}: ${link}`),
    [],
  );
});

test('every repository path in backticks in the architecture guides and CONTRIBUTING.md exists', () => {
  const paths = GUIDES.flatMap((document) => pathsOf(document).map((path) => ({ document, path })));
  assert.ok(paths.length > 40, `found only ${paths.length} paths`);
  const missing = paths.filter(({ path }) => globSync(path, { cwd: ROOT }).length === 0);
  assert.deepEqual(
    missing.map(({ document, path }) => `${document}: ${path}`),
    [],
  );
});

/** Links and pictures outside code, without those to other hosts and to pages of a running server. */
function linksOf(document: string): string[] {
  const prose = withoutCodeBlocks(read(document)).replace(/`[^`\n]*`/g, '');
  return [...prose.matchAll(/\]\(<?([^)\s>]+)>?\)/g)]
    .map(([, link]) => link!)
    .filter((link) => !/^([a-z]+:|\/)/.test(link));
}

function isBroken(document: string, link: string): boolean {
  const [path, anchor] = link.split('#') as [string, string | undefined];
  const target = path === '' ? document : relative(ROOT, join(ROOT, dirname(document), path));
  const file = join(ROOT, target);
  if (!existsSync(file)) return true;
  if (anchor === undefined) return false;
  return !target.endsWith('.md') || statSync(file).isDirectory() || !anchorsOf(target).has(anchor);
}

/** The anchors that GitHub gives the headings: repeated ones are numbered. */
function anchorsOf(document: string): Set<string> {
  const counts = new Map<string, number>();
  const anchors = new Set<string>();
  for (const [, heading] of withoutCodeBlocks(read(document)).matchAll(/^#{1,6} +(.+?) *#*$/gm)) {
    const anchor = heading!
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-');
    const count = counts.get(anchor) ?? 0;
    counts.set(anchor, count + 1);
    anchors.add(count === 0 ? anchor : `${anchor}-${count}`);
  }
  for (const [, id] of read(document).matchAll(/<a (?:id|name)="([^"]+)"/g)) anchors.add(id!);
  return anchors;
}

/** What begins with a folder of the repository, or is a file at its root. Wildcards are allowed. */
function pathsOf(document: string): string[] {
  const rooms = globSync('*/', { cwd: ROOT }).map((room) => room.replace(/\/$/, ''));
  return [...withoutCodeBlocks(read(document)).matchAll(/`([\w.*@{},/-]+)`/g)]
    .map(([, path]) => path!.replaceAll('\\', ''))
    .filter((path) =>
      path.includes('/') ? rooms.includes(path.split('/')[0]!) : /^[A-Z]\w+\.md$/.test(path),
    );
}

function withoutCodeBlocks(text: string): string {
  return text.replace(/^ *```[\s\S]*?^ *```$/gm, '');
}

function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}
