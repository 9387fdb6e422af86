/**
 * Brings the landing page's drop area to life: keeps dropped, pasted and chosen files in this browser and continues to
 * the page that sends them. Part of static-script.ts, so code that is needed only afterwards loads with the first sign
 * of interest.
 */

import { carriesFiles, collectDropped } from '../../uploading/files/dropped-items.ts';
import type { FilePick, PickKind } from '../../uploading/files/picked-files.ts';

type State = 'idle' | 'over' | 'keeping' | 'empty' | 'failed';
type Keeping = typeof import('./keep-chosen.ts');
/** Reads the files, keeps them and continues. Undefined if nothing was chosen. */
type Keep = (read: (keeping: Keeping) => Promise<FilePick | undefined>) => Promise<void>;

let loading: Promise<Keeping> | undefined;

/** After a failure the next attempt loads again. */
function load(): Promise<Keeping> {
  loading ??= import('./keep-chosen.ts').catch((error) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

function preload(): void {
  load().catch(() => {});
}

/** On pages without a drop area it only prevents the browser from opening dropped files. */
export function activateDropArea(isSignedIn: Promise<boolean>): void {
  const area = document.querySelector<HTMLElement>('[data-drop-area]');
  window.addEventListener('dragover', (event) => {
    if (!carriesFiles(event)) return;
    event.preventDefault();
    event.dataTransfer!.dropEffect = area ? 'copy' : 'none';
  });
  window.addEventListener('drop', (event) => {
    if (carriesFiles(event)) event.preventDefault();
  });
  if (area) activate(area, isSignedIn);
}

function activate(area: HTMLElement, isSignedIn: Promise<boolean>): void {
  const setState = (state: State) => {
    area.dataset.state = state;
  };
  let isBusy = false;
  const keep: Keep = async (read) => {
    if (isBusy) return;
    isBusy = true;
    try {
      const keeping = await load();
      const pick = await read(keeping);
      setState(stateAfter(pick));
      if (!pick || pick.files.length === 0) return;
      await keeping.keepFiles(pick);
      location.assign((await isSignedIn) ? area.dataset.toUpload! : area.dataset.toSignUp!);
    } catch {
      setState('failed');
    } finally {
      isBusy = false;
    }
  };

  window.addEventListener('dragover', (event) => {
    if (!carriesFiles(event) || isBusy) return;
    setState('over');
    preload();
  });
  window.addEventListener('dragleave', ({ relatedTarget }) => {
    // Null only when the pointer leaves the window.
    if (relatedTarget === null && !isBusy) setState('idle');
  });
  window.addEventListener('drop', (event) => {
    if (!carriesFiles(event)) return;
    const dropped = collectDropped(event.dataTransfer!);
    // Reading a large folder takes a moment.
    setState('keeping');
    void keep(({ readDropped }) => readDropped(dropped));
  });
  window.addEventListener('paste', ({ clipboardData }) => {
    const files = [...(clipboardData?.files ?? [])];
    if (files.length > 0) void keep(async ({ readFileList }) => readFileList(files));
  });
  for (const kind of ['files', 'folder'] as const) activateChoice(area, kind, keep);
  // The browser's back button shows the page as it was left.
  window.addEventListener('pageshow', () => setState('idle'));
}

function stateAfter(pick: FilePick | undefined): State {
  if (!pick) return 'idle';
  if (pick.files.length > 0) return 'keeping';
  return pick.unreadable?.length ? 'failed' : 'empty';
}

function activateChoice(area: HTMLElement, kind: PickKind, keep: Keep): void {
  const button = area.querySelector<HTMLButtonElement>(`[data-choose=${kind}]`)!;
  const input = area.querySelector<HTMLInputElement>(`[data-input=${kind}]`)!;
  for (const interest of ['pointerenter', 'focus']) button.addEventListener(interest, preload);
  button.addEventListener('click', () =>
    keep(async ({ pickWithHandles }) => {
      const pick = await pickWithHandles(kind);
      if (pick !== 'unavailable') return pick;
      input.click();
      return undefined;
    }),
  );
  input.addEventListener('change', () => {
    const files = [...(input.files ?? [])];
    // Otherwise choosing the same file again would fire no event.
    input.value = '';
    void keep(async ({ readFileList }) => readFileList(files));
  });
}
