import { execFile, spawnSync } from 'node:child_process';

/** Tests of shell commands with curl are skipped if the machine does not have it. */
export const isCurlInstalled = spawnSync('curl', ['--version'], { stdio: 'ignore' }).status === 0;

export type CurlRun = { exitCode: number; stdout: string; stderr: string };

/** Runs curl, which prints errors but no progress. `input` is its standard input. */
export function curl(
  args: string[],
  { input, cwd }: { input?: Buffer; cwd?: string } = {},
): Promise<CurlRun> {
  return new Promise((resolve) => {
    const child = execFile(
      'curl',
      ['--silent', '--show-error', ...args],
      { cwd, maxBuffer: 1024 * 1024 },
      (error, stdout, stderr) => resolve({ exitCode: Number(error?.code ?? 0), stdout, stderr }),
    );
    // curl may exit before it has read all input.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input);
  });
}
