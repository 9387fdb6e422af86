import { nameZip } from '../../../contracts/transfers/names.ts';
import { toBase64Url, utf8 } from '../../../encryption/bytes.ts';
import type { SegmentKey } from '../../../encryption/keys.ts';
import { nameOf, type RecipientFile } from '../loading/recipient-files.ts';
import { canPickFolder, findAbilities } from './abilities.ts';
import { type Failure, failureOf } from './failures.ts';
import { findClaim } from './kept-claims.ts';
import { chooseRung, type Form } from './ladder.ts';
import { fileOutput } from './reading/output.ts';
import { zipOutput } from './reading/plain-zip.ts';
import { planSave, type SavePlan } from './save-plan.ts';
import { type SaveState, SaveTask, type TaskTarget } from './save-task.ts';
import { listStaged, readStaged, removeStaged } from './sinks/staged-sink.ts';
import {
  findStartedFolder,
  forgetUnfinished,
  keepStartedFolder,
  keepUnfinished,
  type Unfinished,
} from './unfinished.ts';
import type { SaveResult } from './worker/messages.ts';

export type SaveRequest = {
  files: readonly RecipientFile[];
  /** These are all files of the transfer. */
  isAll: boolean;
  form: Form;
  /** Goes on in the folder of an earlier attempt. */
  isContinued?: boolean;
};

export type ControllerState =
  | { kind: 'idle' }
  | (Extract<SaveState, { savedBytes: number }> & { request: SaveRequest; name: string })
  | { kind: 'done'; name: string; result: SaveResult; handOver: (() => void) | undefined }
  | { kind: 'failed'; request: SaveRequest; failure: Failure | { kind: 'too-many' } }
  /** This browser has no room, and no way to save without it. */
  | { kind: 'no-way'; name: string };

type Options = {
  token: string;
  recipientToken: string | undefined;
  key: SegmentKey;
  title: string;
  onState: (state: ControllerState) => void;
};

/** Runs one save at a time, by the best way that this browser has. */
export class SaveController {
  readonly #options: Options;
  #task: SaveTask | undefined;
  /** Between the click and the task. A second click meanwhile would count another download. */
  #isStarting = false;
  /** Staging could not write: browsers may announce more room than they have. */
  #isStagingFull = false;

  constructor(options: Options) {
    this.#options = options;
  }

  get isRunning(): boolean {
    return this.#task !== undefined;
  }

  /** Call it in a click: browsers open pickers only then. */
  async start(request: SaveRequest): Promise<void> {
    if (this.#task || this.#isStarting) return;
    this.#isStarting = true;
    const { onState, key } = this.#options;
    try {
      const plan = planSave(this.#options, request.files, request);
      if (plan === 'too-many') return onState({ kind: 'failed', request, failure: { kind: 'too-many' } });
      const name = this.#nameOutput(request, plan);
      const target = await this.#findTarget(request, plan, name);
      if (target === 'canceled') return;
      if (target === 'none') return onState({ kind: 'no-way', name });
      if (target.kind === 'staged') keepUnfinished(this.#toUnfinished(request, target.name));
      const end = preventLeaving();
      this.#task = new SaveTask({
        plan,
        isArriving: request.files.some(({ arrivedBytes }) => arrivedBytes !== undefined),
        key,
        target,
        onFolder: (root) => {
          keepUnfinished(this.#toUnfinished(request, undefined));
          void keepStartedFolder(plan.downloadPath, root);
        },
        onState: (state) => {
          if (!('savedBytes' in state)) {
            this.#task = undefined;
            end();
          }
          this.#tell(state, { request, name, target });
        },
      });
      this.#task.start();
    } catch (error) {
      onState({ kind: 'failed', request, failure: failureOf(error) });
    } finally {
      this.#isStarting = false;
    }
  }

  pause(): void {
    this.#task?.pause();
  }

  resume(): void {
    this.#task?.resume();
  }

  cancel(): void {
    this.#task?.cancel();
  }

  #toUnfinished({ form, files, isAll }: SaveRequest, stagedName: string | undefined): Unfinished {
    const fileIds = isAll ? null : files.map(({ id }) => id);
    return { token: this.#options.token, form, fileIds, stagedName };
  }

  #nameOutput({ form, files }: SaveRequest, plan: SavePlan): string {
    const { title } = this.#options;
    if (form === 'file') return nameOf(plan.files[0]!);
    const zip = nameZip({ title: title || (files[0] && nameOf(files[0])) });
    return form === 'zip' ? zip : zip.replace(/\.zip$/, '');
  }

  async #findTarget(
    { form, isContinued }: SaveRequest,
    plan: SavePlan,
    name: string,
  ): Promise<TaskTarget | 'canceled' | 'none'> {
    if (form === 'folder' && canPickFolder()) {
      // Without the claim of the earlier attempt, its files may be those of another version.
      const started =
        isContinued && findClaim(plan.downloadPath) && (await findStartedFolder(plan.downloadPath));
      if (started && (await mayWrite(started))) return { kind: 'started-folder', root: started };
      const parent = await pick(() => pickers.showDirectoryPicker({ mode: 'readwrite' }));
      return parent ? { kind: 'folder', parent, name } : 'canceled';
    }
    const output = plan.files.length === 1 ? fileOutput(plan.files[0]!) : zipOutput(plan.files);
    const abilities = await findAbilities();
    const stagedName = await nameStaged(plan);
    if (this.#isStagingFull && (abilities.canPickFile || abilities.canStream)) {
      abilities.stagingBytes = 0;
      // The other way needs the room.
      await removeStaged(stagedName);
      forgetUnfinished(this.#options.token);
    }
    const staged = abilities.stagingBytes > 0 ? await findStagedBytes(stagedName) : 0;
    const rung = chooseRung(form, output.sizeBytes, abilities, staged);
    if (rung === 'staged') return { kind: 'staged', name: stagedName };
    if (rung === 'file') {
      const handle = await pick(() => pickers.showSaveFilePicker({ suggestedName: name }));
      return handle ? { kind: 'file', handle } : 'canceled';
    }
    if (rung === 'stream') return { kind: 'stream', name, sizeBytes: output.sizeBytes };
    return rung === 'memory' ? { kind: 'memory' } : 'none';
  }

  #tell(state: SaveState, about: { request: SaveRequest; name: string; target: TaskTarget }): void {
    const { onState, token } = this.#options;
    const { request, name, target } = about;
    const isStaged = target.kind === 'staged';
    if ((isStaged || request.form === 'folder') && (state.kind === 'done' || state.kind === 'canceled'))
      forgetUnfinished(token);
    switch (state.kind) {
      case 'done':
        void this.#finish(state.result, about);
        break;
      case 'failed':
        if (isStaged && state.failure.kind === 'unwritable') this.#isStagingFull = true;
        onState({ kind: 'failed', request, failure: state.failure });
        break;
      case 'canceled':
        if (isStaged) void removeStaged(target.name);
        onState({ kind: 'idle' });
        break;
      default:
        onState({ ...state, request, name });
    }
  }

  async #finish(
    result: SaveResult,
    { request, name, target }: { request: SaveRequest; name: string; target: TaskTarget },
  ): Promise<void> {
    const { onState } = this.#options;
    try {
      const blob =
        result.kind === 'memory'
          ? result.blob
          : target.kind === 'staged'
            ? await readStaged(target.name)
            : undefined;
      const handOver = blob && (() => saveBlob(blob, name));
      handOver?.();
      onState({ kind: 'done', name, result, handOver });
    } catch (error) {
      onState({ kind: 'failed', request, failure: failureOf(error) });
    }
  }
}

type AskingHandle = FileSystemDirectoryHandle & {
  requestPermission?(options: { mode: 'readwrite' }): Promise<PermissionState>;
};

/** A reload takes back the permission of a folder. The browser asks for it again. */
async function mayWrite(folder: AskingHandle): Promise<boolean> {
  return (await folder.requestPermission?.({ mode: 'readwrite' })) === 'granted';
}

type Pickers = {
  showDirectoryPicker(options: { mode: 'readwrite' }): Promise<FileSystemDirectoryHandle>;
  showSaveFilePicker(options: { suggestedName: string }): Promise<FileSystemFileHandle>;
};
const pickers = window as unknown as Pickers;

/** Undefined if the user cancels. */
async function pick<Handle>(open: () => Promise<Handle>): Promise<Handle | undefined> {
  try {
    return await open();
  } catch (error) {
    if ((error as Error).name === 'AbortError') return undefined;
    throw error;
  }
}

/** The same files in the same form have the same name, so that an interrupted save can go on. */
async function nameStaged(plan: SavePlan): Promise<string> {
  const [only] = plan.files;
  // The checksum of a single file, which only zips need, may be unknown until it has arrived.
  const known = only && plan.files.length === 1 ? { ...plan, files: [{ ...only, crc32: null }] } : plan;
  return toBase64Url(new Uint8Array(await crypto.subtle.digest('SHA-256', utf8(JSON.stringify(known)))));
}

async function findStagedBytes(name: string): Promise<number> {
  return readStaged(name).then(
    ({ size }) => size,
    () => 0,
  );
}

/** The browser copies it from disk to the downloads. */
function saveBlob(blob: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
}

function preventLeaving(): () => void {
  const ask = (event: Event) => event.preventDefault();
  window.addEventListener('beforeunload', ask);
  return () => window.removeEventListener('beforeunload', ask);
}

/** Long enough for the browser to copy what was handed over. */
const STAGED_MAX_AGE_MS = 60 * 60_000;

/** Frees the room of saves that ended or were given up. `keep`: of this tab. */
export async function cleanUpStaged(keep: string | undefined): Promise<void> {
  try {
    for (const { name, changedAt } of await listStaged())
      if (name !== keep && Date.now() - changedAt > STAGED_MAX_AGE_MS) await removeStaged(name);
  } catch {
    // There is no private file system, or it is disabled.
  }
}
