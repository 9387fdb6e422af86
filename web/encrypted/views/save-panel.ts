import { t } from '@lingui/core/macro';
import { formatSize } from '../../../contracts/values/sizes.ts';
import type { ControllerState } from '../saving/save-controller.ts';
import { button, progressBar } from '../ui/controls.ts';
import { type Child, h, newId, replace, swap } from '../ui/dom.ts';
import { type IconName, icon } from '../ui/icons.ts';
import { countFiles, failureSentence } from './view-texts.ts';

type Actions = {
  onPause: () => void;
  onResume: () => void;
  onCancel: () => void;
  onRetry: () => void;
  /** Undefined: the encrypted zip, and how to open it. */
  drawEncryptedZip: () => HTMLElement;
};

export type SavePanel = { element: HTMLElement; show(state: ControllerState): void };

/** Shows the progress and result of the most recent save. */
export function savePanel(actions: Actions): SavePanel {
  const element = h('div', { class: 'empty:hidden' });
  let running: ReturnType<typeof runningPanel> | undefined;
  const show = (state: ControllerState) => {
    if ('savedBytes' in state) {
      if (!running) {
        running = runningPanel(actions);
        replace(element, running.element);
      }
      return running.update(state);
    }
    const hadFocus = element.contains(document.activeElement);
    running = undefined;
    if (state.kind === 'idle') element.replaceChildren();
    if (state.kind === 'done') replace(element, donePanel(state));
    if (state.kind === 'failed') replace(element, failedPanel(state, actions));
    if (state.kind === 'no-way') replace(element, noWayPanel(state, actions));
    // The button that had the focus is gone.
    if (hadFocus) (element.firstElementChild as HTMLElement | null)?.focus({ preventScroll: true });
  };
  return { element, show };
}

function panel(title: string, sign: IconName, tone: string, role: string, ...content: Child[]): HTMLElement {
  const titleId = newId('save');
  return h(
    'section',
    {
      role,
      tabindex: -1,
      'aria-labelledby': titleId,
      class: 'min-w-0 rounded-lg border border-line-firm bg-surface p-4 outline-none sm:p-5',
    },
    h(
      'h2',
      { id: titleId, class: 'flex items-start gap-2.5 text-base' },
      icon(sign, `mt-0.5 size-5 shrink-0 ${tone}`),
      h('span', { class: 'min-w-0 wrap-anywhere' }, title),
    ),
    ...content,
  );
}

type Running = Extract<ControllerState, { savedBytes: number }>;

const NOTES: Record<Running['kind'], () => string> = {
  running: () => '',
  network: () => t`Connection lost. The download continues when it is back.`,
  sender: () => t`Waiting for the sender…`,
  paused: () => t`Paused`,
  closing: () => t`Your browser is checking what was saved. This can take a while.`,
};

function runningPanel({ onPause, onResume, onCancel }: Actions) {
  const bar = progressBar(t`Saving`);
  const words = h('p', { class: 'tabular mt-2 text-sm text-ink-soft' });
  const note = h('p', { role: 'status', class: 'text-sm text-ink-soft empty:hidden' });
  const pause = button(t`Pause`, { variant: 'secondary', size: 'sm', icon: 'Pause', onClick: onPause });
  const resume = button(t`Resume`, { variant: 'secondary', size: 'sm', icon: 'Play', onClick: onResume });
  const cancel = button(t`Cancel`, { variant: 'secondary', size: 'sm', onClick: onCancel });
  const buttons = h('div', { class: 'mt-4 flex flex-wrap gap-3' }, pause, cancel);
  const name = h('bdi', { class: 'wrap-anywhere' });
  const element = panel(
    t`Decrypting and saving`,
    'LockKeyhole',
    'text-accent-ink',
    'group',
    h('p', { class: 'mt-1 mb-4 text-sm text-ink-soft' }, name),
    bar.element,
    words,
    note,
    buttons,
  );
  const update = (state: Running) => {
    const { savedBytes, totalBytes, kind } = state;
    name.textContent = state.name;
    const text = t`${formatSize(savedBytes)} of ${formatSize(totalBytes)}`;
    const isStopped = kind !== 'running' && kind !== 'closing';
    bar.set(totalBytes > 0 ? savedBytes / totalBytes : 0, text, isStopped ? 'stopped' : 'running');
    words.textContent = text;
    note.textContent = NOTES[kind]();
    if (kind === 'closing' && !buttons.hidden) {
      if (buttons.contains(document.activeElement)) element.focus({ preventScroll: true });
      buttons.hidden = true;
    }
    const [shown, hidden] = kind === 'paused' ? [resume, pause] : [pause, resume];
    if (!shown.isConnected) swap(hidden, shown);
  };
  return { element, update };
}

function donePanel({ name, result, handOver }: Extract<ControllerState, { kind: 'done' }>): HTMLElement {
  const text =
    result.kind === 'folder'
      ? t`Saved ${countFiles(result.fileCount)} in the folder “${result.name}”.`
      : t`Saved “${name}”.`;
  return panel(
    text,
    'CircleCheck',
    'text-accent-ink',
    'status',
    h('p', { class: 'mt-1 text-sm text-ink-soft' }, t`Every byte is what the sender encrypted.`),
    handOver &&
      h(
        'div',
        { class: 'mt-4' },
        button(t`Save again`, { variant: 'secondary', size: 'sm', icon: 'ArrowDown', onClick: handOver }),
      ),
  );
}

function failedPanel(
  { failure }: Extract<ControllerState, { kind: 'failed' }>,
  { onRetry }: Actions,
): HTMLElement {
  const text =
    failure.kind === 'too-many'
      ? t`These are too many files for one download. Select fewer files, or save all of them.`
      : failureSentence(failure);
  return panel(
    t`Not saved`,
    'CircleAlert',
    'text-danger-ink',
    'alert',
    h('p', { class: 'mt-1 text-sm wrap-anywhere text-ink-soft' }, text),
    failure.kind !== 'too-many' &&
      h(
        'div',
        { class: 'mt-4' },
        button(t`Try again`, { variant: 'secondary', size: 'sm', onClick: onRetry }),
      ),
  );
}

function noWayPanel(
  { name }: Extract<ControllerState, { kind: 'no-way' }>,
  { drawEncryptedZip }: Actions,
): HTMLElement {
  return panel(
    t`This browser has no room for “${name}”`,
    'CircleAlert',
    'text-danger-ink',
    'alert',
    h('div', { class: 'mt-3' }, drawEncryptedZip()),
  );
}
