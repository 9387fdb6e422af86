import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { z } from 'zod';
import { killGroup } from './decoder-process.ts';
import { SANDBOX_METHODS, Sandbox, type SandboxMethod, type SandboxOptions } from './sandbox.ts';

/** A slow machine needs a second. */
const PROBE_TIMEOUT_MS = 15_000;

const Findings = z.object({
  canReadOutside: z.boolean(),
  canWrite: z.boolean(),
  canConnect: z.boolean(),
  environment: z.array(z.string()),
  canDecode: z.boolean(),
});

export type SandboxSearch = {
  sandbox: Sandbox | undefined;
  /** Why each stronger method is not used. */
  rejected: { method: SandboxMethod; reason: string }[];
};

export type SearchOptions = Omit<SandboxOptions, 'method'> & {
  /** For files of the probes; must exist. */
  folder: string;
  /** Limits the search, for tests. */
  methods?: readonly SandboxMethod[];
};

/** What works does not change while a process runs, so each list of methods is tried once. */
const searches = new Map<string, Promise<{ method: SandboxMethod | undefined; rejected: Rejected }>>();
type Rejected = SandboxSearch['rejected'];

/**
 * Finds the strongest sandbox that works here by trying each: a probe inside attempts to read a file, to write one and
 * to connect to this process, then decodes a picture. Takes about 0.2 s per method, at most 15 s.
 */
export async function findSandbox(options: SearchOptions): Promise<SandboxSearch> {
  const { methods = SANDBOX_METHODS } = options;
  const key = methods.join();
  const search = searches.get(key) ?? findMethod(options, methods);
  searches.set(key, search);
  const { method, rejected } = await search;
  // A second attempt may find what the machine was too busy for.
  if (!method) searches.delete(key);
  return { rejected, sandbox: method && new Sandbox({ ...options, method }) };
}

async function findMethod(options: SearchOptions, methods: readonly SandboxMethod[]) {
  const rejected: Rejected = [];
  for (const method of methods) {
    const reason = await findFault(new Sandbox({ ...options, method }), options.folder).catch(String);
    if (reason === undefined) return { method, rejected };
    rejected.push({ method, reason });
  }
  return { method: undefined, rejected };
}

/** Undefined when the sandbox keeps what its method promises. */
async function findFault(sandbox: Sandbox, folder: string): Promise<string | undefined> {
  if (sandbox.method === 'separate-user' && process.getuid?.() !== 0)
    return 'the server does not run as root';
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const base = await mkdtemp(join(folder, 'probe-'));
  const listener = createServer((socket) => socket.destroy());
  try {
    const job = join(base, 'job');
    await mkdir(job);
    // The parent folder is closed to other users; this one is readable for the method `separate-user`.
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
    const timer = setTimeout(() => killGroup(child), PROBE_TIMEOUT_MS);
    const ended = once(child, 'close');
    const output = await buffer(child.stdout!);
    await ended;
    clearTimeout(timer);
    return judge(sandbox, output);
  } finally {
    listener.close();
    await rm(base, { recursive: true, force: true });
  }
}

function judge(sandbox: Sandbox, output: Buffer): string | undefined {
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
