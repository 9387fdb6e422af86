import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * The release that this one must be able to replace while it serves. Set it to the released commit with every
 * release; nothing else names it.
 */
const PREVIOUS_RELEASE = '100ea7bbb439df6ed95db717318829980144fa12';

const ROOT = join(import.meta.dirname, '../..');
/** What a server without pages needs. */
const TREE = ['server', 'contracts', 'cli', 'package.json', 'package-lock.json'];

export type PreviousRelease = {
  /** Its `server/main.ts`. */
  main: string;
  remove(): Promise<void>;
};

/** Whether this clone has its commit; a shallow one may not. */
export async function hasPreviousRelease(): Promise<boolean> {
  return run('git', ['cat-file', '-e', `${PREVIOUS_RELEASE}^{commit}`], { cwd: ROOT }).then(
    () => true,
    () => false,
  );
}

/**
 * Unpacks the previous release into a temporary folder. It uses our node_modules if its lockfile equals ours;
 * otherwise its own dependencies are installed with `npm ci`, which takes a minute and needs a registry.
 */
export async function unpackPreviousRelease(): Promise<PreviousRelease> {
  const folder = await mkdtemp(join(tmpdir(), 'sendwell-previous-'));
  const archive = join(folder, 'release.tar');
  await run('git', ['archive', '--output', archive, PREVIOUS_RELEASE, ...TREE], { cwd: ROOT });
  await run('tar', ['-xf', archive, '-C', folder]);
  const [theirs, ours] = await Promise.all(
    [folder, ROOT].map((root) => readFile(join(root, 'package-lock.json'), 'utf8')),
  );
  if (theirs === ours) await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  else await run('npm', ['ci', '--omit=dev'], { cwd: folder });
  return {
    main: join(folder, 'server/main.ts'),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
