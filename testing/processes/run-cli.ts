import { type ChildProcess, spawn } from 'node:child_process';
import { inheritCompileCache } from './compile-cache.ts';
import { findProgram } from './programs.ts';

const CLI = findProgram('operator');

export type CliRun = { code: number | null; stdout: string; stderr: string };

export function launchCli(
  environment: Record<string, string>,
  ...args: string[]
): { child: ChildProcess; end: Promise<CliRun> } {
  const child = spawn(process.execPath, [CLI, ...args], {
    env: { ENV_FILE: 'off', ...inheritCompileCache(), ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const run: CliRun = { code: null, stdout: '', stderr: '' };
  child.stdout.on('data', (bytes: Buffer) => {
    run.stdout += bytes.toString();
  });
  child.stderr.on('data', (bytes: Buffer) => {
    run.stderr += bytes.toString();
  });
  const killAtExit = () => void child.kill('SIGKILL');
  process.once('exit', killAtExit);
  const end = new Promise<CliRun>((resolve) => {
    child.once('close', (code) => {
      process.off('exit', killAtExit);
      resolve({ ...run, code });
    });
  });
  return { child, end };
}

export function runCli(environment: Record<string, string>, ...args: string[]): Promise<CliRun> {
  return launchCli(environment, ...args).end;
}

/** The JSON object that a command prints with `--json`. Throws with its output on failure. */
export async function runCliForJson(
  environment: Record<string, string>,
  ...args: string[]
): Promise<{ code: number | null } & Record<string, unknown>> {
  const { code, stdout, stderr } = await runCli(environment, ...args, '--json');
  try {
    return { ...(JSON.parse(stdout) as object), code };
  } catch {
    throw new Error(`${args.join(' ')} ended with ${code}: ${stdout}${stderr}`);
  }
}
