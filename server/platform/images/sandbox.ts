import { type ChildProcess, spawn } from 'node:child_process';
import { accessSync, constants as fsConstants, lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { constants as osConstants, setPriority } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeSeccompFilter } from './seccomp.ts';

/** From strongest to weakest. */
export const SANDBOX_METHODS = ['bubblewrap', 'namespaces', 'separate-user', 'permissions'] as const;
export type SandboxMethod = (typeof SANDBOX_METHODS)[number];

export type SandboxedProgram = { script: string } | { executable: string };

type SandboxRun = {
  program: SandboxedProgram;
  args: readonly string[];
  /** The read-only working directory, and the only readable folder besides the program. */
  folder: string;
  /**
   * Node's permission flags stop JavaScript before the kernel does; omit them to test what compromised native
   * code could do.
   */
  withoutPermissionFlags?: boolean;
};

/** Unused: between the ranges of systemd and `nobody`. */
const DECODER_UID = 65_523;

const ROOT = join(import.meta.dirname, '../../..');
const CODE = join(import.meta.dirname, 'child');

const MAX_HEAP_MIB = 256;
const MAX_CPU_SECONDS = 30;
const MAX_DATA_KIB = 1024 * 1024;

/** Hard limits: no core dumps, no file writes, few open files, CPU seconds, and KiB of private memory. */
const LIMITED =
  'ulimit -c 0; ulimit -f 0; ulimit -n 256; ulimit -t "$1"; ulimit -d "$2" 2>/dev/null; shift 2; exec "$@"';

const SYSTEM_PATHS = [
  ...['/usr/lib', '/usr/lib64', '/usr/local/lib', '/lib', '/lib64', '/nix/store'],
  ...['/etc/ld.so.cache', '/etc/alternatives', '/etc/fonts', '/usr/share/fonts', '/usr/local/share/fonts'],
];

/** Arguments: the mount point of the new root, pairs of source and target, `--`, the command. */
const ENTER_NAMESPACES = `
set -eu
export PATH=/usr/sbin:/usr/bin:/sbin:/bin
root=$1
shift
mount -t tmpfs -o mode=755,size=1m,nosuid,nodev tmpfs "$root"
while [ "$1" != -- ]; do
  target=$root$2
  mkdir -p "\${target%/*}"
  if [ "$1" = hide ]; then
    mount -t tmpfs -o mode=755,size=1m,ro tmpfs "$target"
  elif [ -L "$1" ]; then
    ln -s "$(readlink "$1")" "$target"
  else
    if [ -d "$1" ]; then mkdir -p "$target"; else : > "$target"; fi
    mount --bind "$1" "$target"
    mount -o remount,bind,ro,nosuid,nodev "$target" 2>/dev/null || mount -o remount,bind,ro,nosuid,nodev,noexec "$target"
  fi
  shift 2
done
shift
mount -o remount,bind,ro,nosuid,nodev "$root"
exec unshare --root="$root" --wd=/job "$@"
`;

type Command = {
  argv: string[];
  /** For bubblewrap's descriptor 3. */
  filter?: Buffer | undefined;
  uid?: number;
};

export type SandboxOptions = {
  method: SandboxMethod;
  hiddenFolders: readonly string[];
  /** For the method `namespaces`. */
  mountPoint: string;
};

/**
 * Starts programs that their input may compromise: with a minimal environment, pipes, low priority, limits of
 * CPU and memory, and no right to write files. How well other files and the network are protected depends on
 * the method.
 */
export class Sandbox {
  readonly method: SandboxMethod;
  readonly #options: SandboxOptions;

  constructor(options: SandboxOptions) {
    this.method = options.method;
    this.#options = options;
  }

  /** The kernel hides other files, the network and other processes. */
  get hasNamespaces(): boolean {
    return this.method === 'bubblewrap' || this.method === 'namespaces';
  }

  /** The process leads its own group, so that `kill(-pid)` ends its children too. */
  start(run: SandboxRun): ChildProcess {
    // Node's permission flags and the working directory must name the same path.
    const folder = realpathSync(run.folder);
    const { argv, filter, uid } = this.#makeCommand({ ...run, folder });
    const limits = [String(MAX_CPU_SECONDS), String(MAX_DATA_KIB)];
    const child = spawn('/bin/sh', ['-c', LIMITED, 'sh', ...limits, ...argv], {
      cwd: folder,
      env: ENVIRONMENT,
      detached: true,
      stdio: ['pipe', 'pipe', 'ignore', filter ? 'pipe' : 'ignore'],
      ...(uid !== undefined && { uid, gid: uid }),
    });
    if (filter) {
      const pipe = child.stdio[3] as NodeJS.WritableStream;
      // The process ended before reading the filter; its exit code says why.
      pipe.on('error', () => {});
      pipe.end(filter);
    }
    lowerPriority(child.pid);
    return child;
  }

  #makeCommand(run: SandboxRun): Command {
    if (this.method === 'bubblewrap') return this.#makeBubblewrap(run);
    if (this.method === 'namespaces') return this.#makeNamespaces(run);
    const argv = makeProgram(run, {
      node: process.execPath,
      code: (path) => path,
      job: run.folder,
      // The second may be a symbolic link to the first.
      modules: [findModules(), join(ROOT, 'node_modules')],
      manifest: join(ROOT, 'package.json'),
    });
    return this.method === 'separate-user' ? { argv, uid: DECODER_UID } : { argv };
  }

  #makeBubblewrap(run: SandboxRun): Command {
    const filter = makeSeccompFilter();
    const mounts = this.#listMounts(run).flatMap(({ source, target, link }) => {
      if (link !== undefined) return ['--symlink', link, target];
      return source === undefined
        ? ['--tmpfs', target, '--remount-ro', target]
        : ['--ro-bind', source, target];
    });
    return {
      filter,
      argv: [
        ...[findProgram('bwrap') ?? 'bwrap', '--unshare-user-try', '--unshare-ipc', '--unshare-pid'],
        ...['--unshare-net', '--unshare-uts'],
        ...['--unshare-cgroup-try', '--die-with-parent', '--new-session', '--cap-drop', 'ALL', '--clearenv'],
        ...Object.entries(ENVIRONMENT).flatMap(([name, value]) => ['--setenv', name, value]),
        ...mounts,
        ...['--remount-ro', '/', '--chdir', '/job'],
        ...(filter ? ['--seccomp', '3'] : []),
        ...['--', ...makeProgram(run, INSIDE)],
      ],
    };
  }

  #makeNamespaces(run: SandboxRun): Command {
    const mounts = this.#listMounts(run).flatMap(({ source, target, link }) =>
      link === undefined ? [source ?? 'hide', target] : [target, target],
    );
    const setpriv = findProgram('setpriv') ?? 'setpriv';
    const unshare = findProgram('unshare') ?? 'unshare';
    return {
      argv: [
        // unshare dies with the server, and its child with unshare.
        ...[setpriv, '--pdeathsig', 'KILL', '--', unshare],
        ...['--user', '--map-root-user', '--mount', '--pid', '--net', '--ipc', '--uts', '--cgroup'],
        ...['--fork', '--kill-child=SIGKILL', '--', '/bin/sh', '-c', ENTER_NAMESPACES, 'sh'],
        ...[this.#options.mountPoint, ...mounts, setpriv, '/app/setpriv', '--'],
        ...['/app/setpriv', '--no-new-privs', '--bounding-set=-all', '--inh-caps=-all', '--'],
        ...makeProgram(run, INSIDE),
      ],
    };
  }

  #listMounts({ program, folder }: SandboxRun): Mount[] {
    const system = SYSTEM_PATHS.flatMap((path): Mount[] => {
      const stat = lstatSync(path, { throwIfNoEntry: false });
      if (!stat) return [];
      return [
        stat.isSymbolicLink() ? { target: path, link: readlinkSync(path) } : { source: path, target: path },
      ];
    });
    const hidden = this.#options.hiddenFolders.filter((path) =>
      system.some(({ target }) => path.startsWith(`${target}/`)),
    );
    return [
      ...system,
      ...hidden.map((target): Mount => ({ target })),
      ...listProgramMounts(program),
      { source: folder, target: '/job' },
    ];
  }
}

/** Without `source`, an empty folder; with `link`, a symbolic link. */
type Mount = { source?: string; target: string; link?: string };

/** Libraries look for a home folder when they are loaded. */
const ENVIRONMENT = { HOME: '/', MALLOC_ARENA_MAX: '2', UV_THREADPOOL_SIZE: '2' };

type Paths = { node: string; code(path: string): string; job: string; modules: string[]; manifest: string };

const INSIDE: Paths = {
  node: '/app/node',
  code: (path) => (dirname(path) === CODE ? `/app/child/${basename(path)}` : '/app/script.mjs'),
  job: '/job',
  modules: ['/app/node_modules'],
  manifest: '/app/package.json',
};

function listProgramMounts(program: SandboxedProgram): Mount[] {
  if ('executable' in program) return [{ source: program.executable, target: '/app/program' }];
  const { script } = program;
  return [
    { source: realpathSync(process.execPath), target: '/app/node' },
    { source: join(ROOT, 'package.json'), target: '/app/package.json' },
    { source: findModules(), target: '/app/node_modules' },
    { source: CODE, target: '/app/child' },
    ...(dirname(script) === CODE ? [] : [{ source: script, target: '/app/script.mjs' }]),
  ];
}

/** A second barrier around scripts, for example in a PDF. */
function makeProgram({ program, args, withoutPermissionFlags }: SandboxRun, paths: Paths): string[] {
  if ('executable' in program) {
    const executable = paths === INSIDE ? '/app/program' : program.executable;
    return [executable, ...args];
  }
  const script = paths.code(program.script);
  const readable = [
    paths.manifest,
    ...paths.modules.map((folder) => join(folder, '*')),
    paths.code(join(CODE, '*')),
    script,
    join(paths.job, '*'),
  ];
  const permissions = [
    '--permission',
    '--allow-addons',
    ...readable.map((path) => `--allow-fs-read=${path}`),
  ];
  return [
    ...[paths.node, `--max-old-space-size=${MAX_HEAP_MIB}`, '--no-warnings'],
    ...(withoutPermissionFlags ? [] : permissions),
    ...[script, ...args],
  ];
}

function findModules(): string {
  const sharp = realpathSync(fileURLToPath(import.meta.resolve('sharp')));
  return join(sharp.split('/node_modules/')[0]!, 'node_modules');
}

/** Ignores processes that have ended. */
function lowerPriority(pid: number | undefined): void {
  try {
    if (pid !== undefined) setPriority(pid, osConstants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // Only an optimization.
  }
}

const FOLDERS = ['/usr/bin', '/usr/local/bin', '/opt/homebrew/bin', '/bin', '/usr/sbin', '/sbin'];

/** Ignores PATH. */
export function findProgram(name: string): string | undefined {
  return FOLDERS.map((folder) => join(folder, name)).find((path) => {
    try {
      accessSync(path, fsConstants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
