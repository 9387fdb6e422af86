/**
 * `npm run audit`: licenses of what production installs, against an allow-list, and known vulnerabilities.
 * `--licenses` checks the licenses only, which needs no network.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const ALLOWED = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC-BY-4.0',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'Unlicense',
  'Zlib',
  // DB-IP's own spelling of the same license.
  'SEE LICENSE IN DBIP-LICENSE CC-BY-4.0',
  // libvips and its dependencies, linked dynamically by sharp.
  'LGPL-3.0-or-later',
]);

type Package = { dev?: boolean; devOptional?: boolean; license?: string; link?: boolean };

const refused = listRefusedLicenses();
for (const line of refused) console.error(line);
if (refused.length === 0) console.log('Licenses: all production dependencies are allowed.');
const isVulnerable = !process.argv.includes('--licenses') && hasKnownVulnerabilities();
process.exitCode = refused.length > 0 || isVulnerable ? 1 : 0;

/** Reads the lockfile, which lists all platforms, and the installed package.json if it names no license. */
function listRefusedLicenses(): string[] {
  const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, Package>;
  };
  return Object.entries(lock.packages)
    .filter(([path, { dev, link }]) => path !== '' && !dev && !link)
    .map(([path, { license }]) => ({ path, license: license ?? readInstalledLicense(path) }))
    .filter(({ license }) => !isAllowed(license))
    .map(
      ({ path, license }) =>
        `${path.replace('node_modules/', '')}: license ${license ?? 'unknown'} is not allowed.`,
    );
}

function readInstalledLicense(path: string): string | undefined {
  const file = join(ROOT, path, 'package.json');
  if (!existsSync(file)) return undefined;
  const { license } = JSON.parse(readFileSync(file, 'utf8')) as { license?: string | { type: string } };
  return typeof license === 'object' ? license.type : license;
}

/** Checks an SPDX expression: one alternative of OR and all parts of AND must be allowed. */
function isAllowed(expression: string | undefined): boolean {
  if (expression === undefined) return false;
  const alternatives = expression.replace(/[()]/g, '').split(/ OR /i);
  return alternatives.some((each) => each.split(/ AND /i).every((part) => ALLOWED.has(part.trim())));
}

/** High and critical vulnerabilities that `npm audit` reports. */
function hasKnownVulnerabilities(): boolean {
  const args = ['audit', '--omit=dev', '--audit-level=high', '--json'];
  const { stdout, status } = spawnSync('npm', args, { cwd: ROOT, encoding: 'utf8', timeout: 60_000 });
  let metadata: { vulnerabilities: Record<string, number> } | undefined;
  try {
    ({ metadata } = JSON.parse(stdout));
  } catch {
    // Output that isn't JSON counts as no answer.
  }
  if (!metadata) {
    console.log('Vulnerabilities: skipped, no advisory source is reachable.');
    return false;
  }
  const { high = 0, critical = 0 } = metadata.vulnerabilities;
  console.log(`Vulnerabilities: ${critical} critical, ${high} high.`);
  if (status !== 0) console.log('Details: npm audit --omit=dev');
  return status !== 0;
}
