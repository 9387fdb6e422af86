import { execFile, spawnSync } from 'node:child_process';

/** Whether the machine has curl: a test of the one-liners runs the real one, or is skipped and says so. */
export const isCurlInstalled = spawnSync('curl', ['--version'], { stdio: 'ignore' }).status === 0;

export type CurlRun = { exitCode: number; stdout: string; stderr: string };

/** Runs curl, silent but for errors, with these arguments; `input` is its standard input. */
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
    // curl may end before it has read all of it.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input);
  });
}
