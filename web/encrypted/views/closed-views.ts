import { t } from '@lingui/core/macro';
import { ApiError } from '../../../client/api-error.ts';
import type { DownloadView } from '../loading/transfer.ts';
import { button, setBusy } from '../ui/controls.ts';
import { type Child, h } from '../ui/dom.ts';
import type { IconName } from '../ui/icons.ts';
import { headline, stage, stillDisc, well } from '../ui/layout.ts';
import { askToReopen } from './forms.ts';
import { errorSentence, formatCountdown, formatLongDateTime } from './view-texts.ts';

export type View = {
  title: string;
  element: HTMLElement;
  /** Called when it is on the page. */
  start?: () => void;
  /** Called when another view replaces it. */
  stop?: () => void;
  /** It asks for the transfer until that has changed, so it stays while the server can't be reached. */
  isWaiting?: boolean;
};

export function closedView(title: string, text: string, sign: IconName, ...more: Child[]): View {
  const element = stage({
    head: [headline(title), h('p', { class: 'mt-6 max-w-[34rem] text-lg text-ink-soft' }, text), ...more],
    well: well(stillDisc(sign)),
  });
  return { title, element };
}

export function hint(text: string): HTMLElement {
  return h('p', { class: 'mt-3 max-w-[34rem] text-ink-faint' }, text);
}

export function loadingView(): View {
  const bar = (className: string) => h('div', { class: `animate-breathe rounded-md bg-press ${className}` });
  const element = stage({
    isDense: true,
    head: [
      h('p', { role: 'status', class: 'sr-only' }, t`Loading transfer`),
      bar('h-[0.96em] w-full max-w-[8em] text-display'),
      bar('mt-3 h-7 w-64 sm:mt-5'),
    ],
    well: null,
    body: h('div', { class: 'flex flex-col gap-3' }, bar('mb-3 h-24'), bar('h-14'), bar('h-14')),
  });
  return { title: t`Loading transfer`, element };
}

export function expiredView(token: string, { isDeleting }: DownloadView): View {
  return closedView(
    t`Transfer Expired`,
    t`This transfer has expired.`,
    'Hourglass',
    isDeleting ? hint(t`Ask the sender to share the files again.`) : askToReopen(token),
  );
}

const CHECKING_PAUSE_MS = 5_000;
const STOPPED_PAUSE_MS = 30_000;
const SCHEDULED_PAUSE_MS = 3_000;

export function checkingView(onRefresh: () => void): View {
  const view = closedView(
    t`Checking files`,
    t`This transfer is being checked before you can download it.`,
    'ShieldEllipsis',
    hint(t`Keep this page open, and the files appear automatically.`),
  );
  return waiting(view, setInterval(onRefresh, CHECKING_PAUSE_MS));
}

/** The link was shared early, and nothing has arrived for two days. */
export function stoppedView(onRefresh: () => void): View {
  const view = closedView(
    t`Upload stopped`,
    t`The sender has not finished uploading these files. The link works again when they go on.`,
    'Pause',
    hint(t`Let the sender know, or keep this page open: the files appear by themselves.`),
  );
  return waiting(view, setInterval(onRefresh, STOPPED_PAUSE_MS));
}

type Timer = ReturnType<typeof setInterval>;

function waiting(view: View, timer: Timer): View {
  return { ...view, isWaiting: true, stop: () => clearInterval(timer) };
}

const REFUSALS: Record<string, () => string> = {
  transfer_taken_down: () => t`Transfer Taken Down`,
  transfer_blocked: () => t`Transfer Blocked`,
};

/** A refusal of the server, or an unreachable server, which can be asked again. */
export function failedView(error: unknown, onRetry: () => void): View {
  const refusal = error instanceof ApiError ? error : undefined;
  const title = REFUSALS[refusal?.code ?? ''];
  if (refusal && title) return closedView(title(), refusal.detail, 'ShieldBan');
  if (refusal?.status === 404)
    return closedView(
      t`Transfer Not Found`,
      t`This transfer may have expired or been deleted.`,
      'Unlink',
      hint(t`Check that you copied the whole link, or ask the sender for a new one.`),
    );
  const retry = button(t`Try again`, {
    variant: 'secondary',
    class: 'mt-8',
    onClick: () => {
      setBusy(retry, t`Try again`);
      onRetry();
    },
  });
  return closedView(t`Transfer not available`, errorSentence(error), 'Unlink', retry);
}

/** The list of files is not what the sender sealed, or of a later version of the format. */
export function unreadableView(): View {
  return closedView(
    t`Transfer Damaged`,
    t`The list of files is damaged or was changed on its way, so nothing of this transfer can be trusted.`,
    'ShieldAlert',
    hint(t`Ask the sender to share the files again.`),
  );
}

export function unsupportedView(): View {
  return closedView(
    t`Browser too old`,
    t`This browser cannot decrypt files here. Open the link in a current browser, over https.`,
    'ShieldAlert',
  );
}

export function scheduledView(availableAt: string, onRefresh: () => void): View {
  const clock = h('p', { class: 'tabular font-heading text-2xl lg:text-3xl' });
  const title = t`Not available yet`;
  const view = closedView(
    title,
    t`You can download from ${formatLongDateTime(availableAt)}.`,
    'CalendarClock',
    h('p', { role: 'timer', 'aria-label': t`Time until the download opens`, class: 'mt-8' }, clock),
    hint(t`The sender chose this time. Keep this page open, and the files appear automatically.`),
  );
  let asking: Timer | undefined;
  const draw = () => {
    const leftMs = Date.parse(availableAt) - Date.now();
    clock.textContent = formatCountdown(leftMs);
    if (leftMs > 0 || asking) return;
    // More than once, because the clock of this device may be ahead of the server's.
    asking = setInterval(onRefresh, SCHEDULED_PAUSE_MS);
    onRefresh();
  };
  const timer = setInterval(draw, 1000);
  draw();
  const stop = () => {
    clearInterval(timer);
    clearInterval(asking);
  };
  return { ...view, isWaiting: true, stop };
}
