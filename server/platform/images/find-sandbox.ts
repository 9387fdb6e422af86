import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { z } from 'zod';
import { killGroup } from './decoder-process.ts';
import { SANDBOX_METHODS, Sandbox, type SandboxMethod, type SandboxOptions } from './sandbox.ts';

const PROBE_TIMEOUT_MS = 15_000;
const NEVER = new AbortController().signal;

const Findings = z.object({
  canReadOutside: z.boolean(),
  canWrite: z.boolean(),
  canConnect: z.boolean(),
  canDecode: z.boolean(),
});

export type SandboxSearch = {
  sandbox: Sandbox | undefined;
  rejected: { method: SandboxMethod; reason: string }[];
};

export type SearchOptions = Omit<SandboxOptions, 'method'> & {
  folder: string;
  methods?: readonly SandboxMethod[];
  signal?: AbortSignal;
};

type Rejected = SandboxSearch['rejected'];
type Found = { method: SandboxMethod | undefined; rejected: Rejected };

/** One search per list of methods: results don't change while a process runs. */
const searches = new Map<string, Promise<Found>>();

/**
 * Finds the strongest sandbox that works: a probe inside tries to read and write a file and to connect to
 * this process, then decodes a picture. Takes about 0.2 s per method, at most 15 s. Throws the signal's
 * reason.
 */
export async function findSandbox(options: SearchOptions): Promise<SandboxSearch> {
  const { methods = SANDBOX_METHODS, signal } = options;
  const key = methods.join();
  for (;;) {
    signal?.throwIfAborted();
    const search = searches.get(key) ?? findMethod(options, methods);
    searches.set(key, search);
    try {
      const { method, rejected } = await search;
      // Try again next time: the machine may have been too busy.
      if (!method) searches.delete(key);
      return { rejected, sandbox: method && new Sandbox({ ...options, method }) };
    } catch (error) {
      // The caller who started the search aborted it; others start their own.
      if (searches.get(key) === search) searches.delete(key);
      if (signal?.aborted || !isAbort(error)) throw error;
    }
  }
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}

async function findMethod(options: SearchOptions, methods: readonly SandboxMethod[]): Promise<Found> {
  const rejected: Rejected = [];
  for (const method of methods) {
    const reason = await probe(new Sandbox({ ...options, method }), options).catch(String);
    options.signal?.throwIfAborted();
    if (reason === undefined) return { method, rejected };
    rejected.push({ method, reason });
  }
  return { method: undefined, rejected };
}

/** Why the sandbox can't be used; undefined if it works. */
async function probe(
  sandbox: Sandbox,
  { folder, signal }: Pick<SearchOptions, 'folder' | 'signal'>,
): Promise<string | undefined> {
  if (sandbox.method === 'separate-user' && process.getuid?.() !== 0)
    return 'the server does not run as root';
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const base = await mkdtemp(join(folder, 'probe-'));
  const listener = createServer((socket) => socket.destroy());
  try {
    const job = join(base, 'job');
    await mkdir(job);
    // The parent folder is closed to other users; the method `separate-user` reads this one.
    await chmod(job, 0o755);
    const outside = join(base, 'outside');
    await writeFile(outside, 'secret', { mode: 0o600 });
    const port = await listen(listener);
    const child = sandbox.start({
      program: { script: join(import.meta.dirname, 'child/probe.ts') },
      args: [outside, String(port)],
      folder: job,
      withoutPermissionFlags: sandbox.method !== 'permissions',
    });
    const stop = AbortSignal.any([signal ?? NEVER, AbortSignal.timeout(PROBE_TIMEOUT_MS)]);
    const kill = () => killGroup(child);
    stop.addEventListener('abort', kill);
    const [output] = await Promise.all([buffer(child.stdout!), once(child, 'close')]);
    stop.removeEventListener('abort', kill);
    return stop.aborted ? 'it took too long' : findWeakness(sandbox, output);
  } finally {
    listener.close();
    await rm(base, { recursive: true, force: true });
  }
}

function findWeakness(sandbox: Sandbox, output: Buffer): string | undefined {
  if (output.length === 0) return 'it does not start here';
  const findings = Findings.parse(JSON.parse(output.toString()));
  if (!findings.canDecode) return 'pictures cannot be decoded in it';
  if (findings.canReadOutside) return 'other files can be read in it';
  if (findings.canWrite) return 'files can be written in it';
  if (sandbox.hasNamespaces && findings.canConnect) return 'the network can be reached from it';
  return undefined;
}

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as { port: number }).port;
}

export type SandboxStrength = 'strong' | 'good' | 'weak' | 'very weak' | 'none';

const STRENGTHS: Record<SandboxMethod, { strength: SandboxStrength; sentence: string }> = {
  bubblewrap: {
    strength: 'strong',
    sentence:
      'bubblewrap runs a process per file that sees only this file and the decoder. It has no network and cannot start programs, and a filter refuses system calls that it does not need.',
  },
  namespaces: {
    strength: 'good',
    sentence:
      'A process per file runs in namespaces of its own. It sees only this file and the decoder and has no network. Installing bubblewrap would add a filter for system calls.',
  },
  'separate-user': {
    strength: 'weak',
    sentence:
      'A process per file runs as another user. A file that takes the decoder over cannot read the data of Sendwell, but can read what every user of this machine can, and use the network.',
  },
  permissions: {
    strength: 'very weak',
    sentence:
      'A process per file runs as the user of the server. Node’s permission model stops scripts, but a file that takes a native decoder over can read everything that the server can, and use the network.',
  },
};

export function describeSandbox({ sandbox, rejected }: SandboxSearch) {
  const reasons = rejected.map(({ method, reason }) => `${method}: ${reason}`).join('; ');
  if (!sandbox) {
    const sentence = 'No sandbox works, so no pictures of files are made.';
    return { strength: 'none' as const, sentence, reasons };
  }
  return { ...STRENGTHS[sandbox.method], reasons };
}
