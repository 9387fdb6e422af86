import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

/** What tests start as processes, by name. Paths are relative to the repository. */
export const PROGRAMS = {
  server: 'server/main.ts',
  operator: 'operator/main.ts',
  cli: 'cli/main.ts',
};

/** Where bin/gate/bundle-programs.ts puts them. */
export const BUNDLED_PROGRAMS = join(ROOT, 'node_modules/.cache/programs');

/** The absolute path of a program: bundled if the gate says so in `TEST_PROGRAMS`, otherwise its source. */
export function findProgram(name: keyof typeof PROGRAMS): string {
  return process.env.TEST_PROGRAMS === 'bundled'
    ? join(BUNDLED_PROGRAMS, `${name}.mjs`)
    : join(ROOT, PROGRAMS[name]);
}
