import { Worker } from 'node:worker_threads';

const THREAD = new URL('bcrypt-thread.ts', import.meta.url);
const LIMITS = { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 4 };

/** Each account is verified this way once, so a thread per password is enough. */
export function verifyBcrypt(password: string, hash: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const thread = new Worker(THREAD, { workerData: { password, hash }, resourceLimits: LIMITS });
    thread.once('message', (isRight: boolean) => resolve(isRight));
    thread.once('error', reject);
    thread.once('exit', () => reject(new Error('The bcrypt thread ended without an answer.')));
  });
}
