import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { KIB } from '../../../contracts/values/sizes.ts';

const isLinux = process.platform === 'linux';
const PAGE_BYTES = 4 * KIB;
/** More than the wrappers of any sandbox; a process that forks more is taken for this many. */
const MAX_PROCESSES = 64;

/** Resident bytes of a process and its descendants; 0 when it has ended. */
export async function readMemoryOfTree(pid: number): Promise<number> {
  if (!isLinux) return readByPs(pid);
  const tree = await listProcessTree(pid);
  const texts = await Promise.all(tree.map((member) => readText(`/proc/${member}/statm`)));
  return texts.reduce((sum, text) => sum + Number(text.split(' ')[1] ?? 0) * PAGE_BYTES, 0);
}

/** The process and its descendants, on Linux; those that threads other than the main one started are missing. */
export async function listProcessTree(pid: number): Promise<number[]> {
  const found = [pid];
  for (let next = 0; next < found.length && next < MAX_PROCESSES; next += 1) {
    const text = await readText(`/proc/${found[next]}/task/${found[next]}/children`);
    found.push(...text.split(' ').filter(Boolean).map(Number));
  }
  return found;
}

function readText(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => '');
}

async function readByPs(pid: number): Promise<number> {
  const result = await promisify(execFile)('/bin/ps', ['-o', 'rss=', '-p', String(pid)]).catch(
    () => undefined,
  );
  return Number(result?.stdout.trim() ?? 0) * KIB;
}
