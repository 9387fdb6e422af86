/** The thread of `verifyBcrypt`: bcrypt is pure JavaScript and needs 50 ms to seconds of a core. */
import { parentPort, workerData } from 'node:worker_threads';
import { compareSync } from 'bcryptjs';

const { password, hash } = workerData as { password: string; hash: string };
parentPort!.postMessage(compareSync(password, hash));
