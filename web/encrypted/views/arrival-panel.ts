import { plural, t } from '@lingui/core/macro';
import { type ArrivalProgress, askForArrivalNotice } from '../../../contracts/transfers/arrival.ts';
import { formatSize } from '../../../contracts/values/sizes.ts';
import { call } from '../loading/calls.ts';
import { button, progressBar, setBusy, textField } from '../ui/controls.ts';
import { openDialog } from '../ui/dialog.ts';
import { h, newId, replace } from '../ui/dom.ts';
import { showingRefusal } from './forms.ts';
import { formatDistance } from './view-texts.ts';

type ArrivalPanelOptions = {
  token: string;
  progress: ArrivalProgress;
  /** Whether visitors can ask for an email. */
  offersNotice: boolean;
  /** Whether all files can be saved before they have arrived. */
  canSaveAll: boolean;
};

export type ArrivalPanel = {
  element: HTMLElement;
  show(progress: ArrivalProgress): void;
  /** While files are being saved, there is nothing to choose. */
  setSaving(isSaving: boolean): void;
};

/** How much of a transfer has arrived. */
export function arrivalPanel({
  token,
  progress,
  offersNotice,
  canSaveAll,
}: ArrivalPanelOptions): ArrivalPanel {
  const titleId = newId('arrival');
  const bar = progressBar(t`Arrived so far`);
  const facts = h('p', { class: 'tabular flex flex-wrap gap-x-5 gap-y-1 text-sm text-ink-soft' });
  const choice = h(
    'div',
    { class: 'flex flex-wrap items-center gap-x-4 gap-y-2 [&[hidden]]:hidden' },
    h(
      'p',
      { class: 'min-w-48 grow basis-0 text-sm text-ink-soft' },
      canSaveAll
        ? t`Start now, and this page waits for what is still missing. Keep it open.`
        : t`This browser saves several files as one zip, once everything is here. Single files can be saved now.`,
    ),
    offersNotice && noticeOffer(token),
  );
  const element = h(
    'section',
    {
      'aria-labelledby': titleId,
      class: 'flex flex-col gap-3 rounded-lg border border-line bg-surface p-4 sm:p-5',
    },
    h('h2', { id: titleId, class: 'text-base' }, t`These files are still arriving`),
    bar.element,
    facts,
    choice,
  );
  const show = (latest: ArrivalProgress) => {
    const { receivedBytes, totalBytes, bytesPerSecond } = latest;
    const amount = t`${formatSize(receivedBytes)} of ${formatSize(totalBytes)}`;
    bar.set(
      totalBytes === 0 ? 1 : receivedBytes / totalBytes,
      amount,
      bytesPerSecond === 0 ? 'stopped' : 'running',
    );
    replace(
      facts,
      ...[amount, describeFiles(latest), describeTime(latest)].map((text) => h('span', {}, text)),
    );
  };
  show(progress);
  const setSaving = (isSaving: boolean) => {
    choice.hidden = isSaving;
  };
  return { element, show, setSaving };
}

function describeFiles({ arrivedFiles, fileCount }: ArrivalProgress): string {
  return plural(fileCount, {
    one: `${arrivedFiles} of # file complete`,
    other: `${arrivedFiles} of # files complete`,
  });
}

function describeTime({ bytesPerSecond, secondsLeft }: ArrivalProgress): string {
  if (bytesPerSecond === 0) return t`Waiting for the sender…`;
  if (secondsLeft === null) return '';
  return t`All here ${formatDistance(new Date(Date.now() + secondsLeft * 1000).toISOString())}`;
}

function noticeOffer(token: string): HTMLElement {
  const place = h('div');
  const open = () => {
    const email = textField({ label: t`Your email address`, type: 'email', autocomplete: 'email' });
    const refusal = h('div');
    openDialog({
      title: t`Email me when it’s all here`,
      description: t`You’ll get one email. It does not have the key, so keep the link of this page.`,
      submitLabel: t`Email Me`,
      content: [email.element, refusal],
      onSubmit: async (submit) => {
        const body = { email: email.control.value.trim() };
        await showingRefusal(refusal, setBusy(submit, t`Sending...`), () =>
          call(askForArrivalNotice, { params: { token }, body }),
        );
        const text = t`We’ll email you when it’s all here.`;
        replace(place, h('p', { role: 'status', class: 'text-sm text-ink-soft' }, text));
      },
    });
  };
  place.append(
    button(t`Email me when it’s all here`, { variant: 'ghost', size: 'sm', icon: 'BellRing', onClick: open }),
  );
  return place;
}
