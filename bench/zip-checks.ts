/** What others say about our zips: Info-ZIP's unzip and Python's zipfile. Each throws when it finds fault. */
import { execFileSync } from 'node:child_process';
import { MIB } from '../contracts/values/sizes.ts';

const PYTHON_CHECK = `
import sys, zipfile, zlib
archive = zipfile.ZipFile(sys.argv[1])
entries = archive.infolist()
middle = len(entries) // 2
for entry in [entries[0], entries[1], entries[middle], entries[-1]]:
    with archive.open(entry) as stream:
        size = 0
        while True:
            block = stream.read(1 << 20)
            if not block: break
            size += len(block)
    assert size == entry.file_size, entry.filename
print(len(set(archive.namelist())))
`;

/** Reads every byte and compares the checksums. */
export function testByUnzip(zipPath: string): void {
  run('unzip', ['-tqq', zipPath]);
}

/** Paths as `unzip` lists them. */
export function listByUnzip(zipPath: string): string[] {
  return run('unzip', ['-Z1', zipPath]).trimEnd().split('\n');
}

/** Opens the zip, reads its first, second, middle and last entry; returns how many names there are. */
export function countByPython(zipPath: string): number {
  return Number(run('python3', ['-c', PYTHON_CHECK, zipPath]));
}

function run(program: string, args: string[]): string {
  return execFileSync(program, args, { encoding: 'utf8', maxBuffer: 256 * MIB });
}
