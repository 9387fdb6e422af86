import { spawnSync } from 'node:child_process';
import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';

const PERL = '/usr/share/perl5/';

/**
 * Installs the Debian packages that the tests need and that are missing: a real S3 server (OpenStack Swift),
 * browsers, the sandbox for decoders, zip tools, download clients, proxies, fail2ban, a virus scanner, cryptography for
 * Python, and with `--all` an identity provider. Where it cannot install, it prints one line and exits 0: those tests
 * are skipped, and journeys fail, because they need their browsers. It starts no daemon; the tests start their own on
 * free loopback ports.
 */
type Need = { program?: string; pythonModule?: string; debianPackage: string };

const NEEDS: Need[] = [
  { program: 'swift-proxy-server', debianPackage: 'swift-proxy' },
  { program: 'swift-account-server', debianPackage: 'swift-account' },
  { program: 'swift-container-server', debianPackage: 'swift-container' },
  { program: 'swift-object-server', debianPackage: 'swift-object' },
  { program: 'memcached', debianPackage: 'memcached' },
  { program: 'chromium', debianPackage: 'chromium' },
  { program: 'chromium-headless-shell', debianPackage: 'chromium-headless-shell' },
  { program: 'firefox-esr', debianPackage: 'firefox-esr' },
  { program: 'WebKitWebDriver', debianPackage: 'webkit2gtk-driver' },
  { program: 'Xvfb', debianPackage: 'xvfb' },
  { program: 'bwrap', debianPackage: 'bubblewrap' },
  { program: 'unzip', debianPackage: 'unzip' },
  { program: 'zip', debianPackage: 'zip' },
  { program: 'nginx', debianPackage: 'nginx' },
  { program: 'caddy', debianPackage: 'caddy' },
  { program: 'wget', debianPackage: 'wget' },
  { program: 'aria2c', debianPackage: 'aria2' },
  { program: 'fail2ban-regex', debianPackage: 'fail2ban' },
  { program: 'clamd', debianPackage: 'clamav-daemon' },
  { pythonModule: 'cryptography', debianPackage: 'python3-cryptography' },
];

/** Only `npm run test:all` has tests with these. */
const NEEDS_IN_ALL: Need[] = [
  // LemonLDAP::NG. As an OpenID Connect provider it needs the two modules, which Debian only recommends.
  { program: `${PERL}Lemonldap/NG/Portal/Main.pm`, debianPackage: 'liblemonldap-ng-portal-perl' },
  { program: `${PERL}String/Random.pm`, debianPackage: 'libstring-random-perl' },
  { program: `${PERL}IO/String.pm`, debianPackage: 'libio-string-perl' },
];

/** invoke-rc.d asks this program before it starts a service; exit code 101 means "do not". */
const START_POLICY = '/usr/sbin/policy-rc.d';
const SAVED_POLICY = `${START_POLICY}.before-sendwell-tests`;

/** Without waiting for the disk after each file: a machine that loses power installs them again. */
const INSTALL = ['install', '-y', '--no-install-recommends', '-o', 'Dpkg::Options::=--force-unsafe-io'];

process.exitCode = installTestServers();

function installTestServers(): number {
  const needs = process.argv.includes('--all') ? [...NEEDS, ...NEEDS_IN_ALL] : NEEDS;
  const missing = needs.filter((need) => !isPresent(need)).map((need) => need.debianPackage);
  if (missing.length === 0) return say('Test servers: everything is installed.');
  if (!isInstalled('apt-get')) {
    return say(
      `Test servers: no apt-get here, so these stay missing: ${missing.join(' ')}. Their tests are skipped or fail.`,
    );
  }
  if (process.getuid?.() !== 0) return installThroughSudo(missing);
  say('Test servers: apt-get update');
  if (!runAptGet(['update'])) say('Test servers: apt-get update failed; trying with the lists there are.');
  const failed = withoutStartingServices(() => installPackages(missing));
  if (failed.length === 0) return say('Test servers: done.');
  return say(`Test servers: could not install ${failed.join(' ')}. Their tests are skipped or fail.`);
}

/** Runs this script again as root if sudo needs no password. */
function installThroughSudo(missing: string[]): number {
  if (spawnSync('sudo', ['-n', 'true']).status !== 0) {
    return say(
      `Test servers: not root, so these stay missing: ${missing.join(' ')}. Their tests are skipped or fail.`,
    );
  }
  return (
    spawnSync('sudo', ['-n', process.execPath, import.meta.filename, ...process.argv.slice(2)], {
      stdio: 'inherit',
    }).status ?? 0
  );
}

/** Returns those that could not be installed. Tries them one by one only if not all can be had together, which is faster. */
function installPackages(names: string[]): string[] {
  say(`Test servers: apt-get install ${names.join(' ')}`);
  if (runAptGet([...INSTALL, ...names])) return [];
  return names.filter((name) => !runAptGet([...INSTALL, name]));
}

function runAptGet(parameters: string[]): boolean {
  const command = ['DEBIAN_FRONTEND=noninteractive', 'apt-get', '-q', ...parameters];
  const result = spawnSync('env', command, { encoding: 'utf8' });
  if (result.status !== 0) process.stderr.write(result.stderr ?? String(result.error));
  return result.status === 0;
}

/** Restores the machine's own policy afterwards, if it has one, even if a previous run was killed. */
function withoutStartingServices<Result>(install: () => Result): Result {
  if (existsSync(START_POLICY) && !existsSync(SAVED_POLICY)) renameSync(START_POLICY, SAVED_POLICY);
  writeFileSync(START_POLICY, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  try {
    return install();
  } finally {
    rmSync(START_POLICY, { force: true });
    if (existsSync(SAVED_POLICY)) renameSync(SAVED_POLICY, START_POLICY);
  }
}

function isPresent({ program, pythonModule }: Need): boolean {
  if (program !== undefined && !isInstalled(program)) return false;
  // Debian's Python: another one in the PATH would not see Debian's packages.
  return (
    pythonModule === undefined || spawnSync('/usr/bin/python3', ['-c', `import ${pythonModule}`]).status === 0
  );
}

function isInstalled(program: string): boolean {
  if (program.startsWith('/')) return existsSync(program);
  return spawnSync('sh', ['-c', 'PATH="$PATH:/usr/sbin:/sbin" command -v "$0"', program]).status === 0;
}

function say(line: string): number {
  console.log(line);
  return 0;
}
