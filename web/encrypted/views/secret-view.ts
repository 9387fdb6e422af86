import { plural, t } from '@lingui/core/macro';
import type { TransferKeys } from '../../../encryption/keys.ts';
import { readSecretText } from '../../../encryption/secret-text.ts';
import { canBeSaved } from '../loading/recipient-files.ts';
import type { ShareLink } from '../loading/share-link.ts';
import type { OpenedTransfer } from '../loading/transfer.ts';
import type { Failure } from '../saving/failures.ts';
import { findClaim } from '../saving/kept-claims.ts';
import { planSave, type SavePlan } from '../saving/save-plan.ts';
import { SaveTask } from '../saving/save-task.ts';
import { button, copyText, errorText, setBusy } from '../ui/controls.ts';
import { h, replace } from '../ui/dom.ts';
import { changeDisc, headline, stage, stillDisc, well } from '../ui/layout.ts';
import { closedView, hint, type View } from './closed-views.ts';
import { exposedNotice } from './notices.ts';
import { failureSentence, formatDistance } from './view-texts.ts';

type Options = { share: ShareLink; transfer: OpenedTransfer; keys: TransferKeys };

/**
 * A text that the server counts when it is shown. Nothing is fetched before the button is pressed, because previews of
 * links, and people who open one by mistake, must not use it up.
 */
export function secretView(options: Options): View {
  const { share, transfer } = options;
  const { view, files } = transfer;
  const [file] = files;
  const { maxDownloads, downloadCount = 0 } = view;
  const left = typeof maxDownloads === 'number' ? maxDownloads - downloadCount : undefined;
  const plan = file && canBeSaved(file) ? planSave(share, [file], { isAll: true }) : undefined;
  // A connection that broke after the server had counted can go on.
  const isBegun = typeof plan === 'object' && findClaim(plan.downloadPath) !== undefined;
  if (left !== undefined && left <= 0 && !isBegun) return openedView();
  if (typeof plan !== 'object') return damagedView();
  const secret = new SecretText(options, plan, left);
  return { title: secret.title, element: secret.element, stop: () => secret.forget() };
}

class SecretText {
  readonly title: string;
  readonly element: HTMLElement;
  readonly #options: Options;
  readonly #plan: SavePlan;
  readonly #left: number | undefined;
  readonly #place = h('div', { class: 'mt-8' });
  readonly #status = h('div', { 'aria-live': 'polite' });
  readonly #well = well(stillDisc('LockKeyhole'));
  #task: SaveTask | undefined;
  #text = '';

  constructor(options: Options, plan: SavePlan, left: number | undefined) {
    const { manifest, view } = options.transfer;
    this.#options = options;
    this.#plan = plan;
    this.#left = left;
    this.title = manifest.title || t`Secret text`;
    this.element = stage({
      head: [
        headline(this.title),
        h(
          'p',
          { class: 'mt-5 max-w-[34rem] text-lg text-ink-soft' },
          view.senderName ? t`${view.senderName} sent you a secret text.` : t`You got a secret text.`,
          ' ',
          view.expiresAt && t`It expires ${formatDistance(view.expiresAt)}.`,
        ),
        options.share.wasExposed && exposedNotice(),
        this.#place,
        this.#status,
      ],
      well: this.#well,
    });
    this.#drawClosed();
  }

  forget(): void {
    this.#task?.cancel();
    this.#text = '';
  }

  #drawClosed(): void {
    const left = this.#left;
    const show = button(t`Show the text`, {
      size: 'lg',
      class: 'max-sm:w-full',
      onClick: () => this.#open(setBusy(show, t`Decrypting…`)),
    });
    replace(
      this.#place,
      show,
      left !== undefined &&
        hint(
          left <= 1
            ? t`It can be shown only once. After that, this link shows nothing to anybody.`
            : plural(left, { one: 'It can be shown once more.', other: 'It can be shown # more times.' }),
        ),
    );
  }

  #open(done: () => void): void {
    replace(this.#status);
    const { keys } = this.#options;
    this.#task = new SaveTask({
      plan: this.#plan,
      isArriving: false,
      key: keys.content,
      target: { kind: 'memory' },
      onState: (state) => {
        if (state.kind === 'network') this.#say(t`Waiting for the connection…`);
        if (state.kind === 'running') replace(this.#status);
        if (state.kind === 'failed') {
          done();
          this.#fail(state.failure);
        }
        if (state.kind === 'done' && state.result.kind === 'memory') void this.#read(state.result.blob);
      },
    });
    this.#task.start();
  }

  async #read(blob: Blob): Promise<void> {
    try {
      this.#text = readSecretText(new Uint8Array(await blob.arrayBuffer()));
    } catch {
      return this.#fail({ kind: 'damaged', file: undefined });
    }
    this.#drawText();
  }

  #drawText(): void {
    changeDisc(this.#well, stillDisc('KeyRound'));
    const text = h(
      'pre',
      {
        tabindex: 0,
        dir: 'auto',
        'aria-label': t`Secret text`,
        class:
          'max-h-96 max-w-[44rem] overflow-auto rounded-md border border-line-firm bg-surface px-5 py-4 font-mono wrap-anywhere whitespace-pre-wrap',
      },
      this.#text,
    );
    const copy = button(t`Copy`, {
      icon: 'Copy',
      onClick: () => copyText(this.#text, (outcome) => this.#say(outcome)),
    });
    const hide = button(t`Hide`, { variant: 'secondary', onClick: () => this.#drawHidden() });
    replace(this.#place, text, h('div', { class: 'mt-4 flex flex-wrap gap-3' }, copy, hide), this.#warning());
    replace(this.#status);
    text.focus({ preventScroll: true });
  }

  #drawHidden(): void {
    const show = button(t`Show again`, { variant: 'secondary', onClick: () => this.#drawText() });
    replace(this.#place, show, this.#warning());
    replace(this.#status);
    show.focus();
  }

  #warning(): HTMLElement | false {
    const isLast = this.#left !== undefined && this.#left <= 1;
    return (
      isLast && hint(t`When you close or reload this page, it is gone. Copy it now if you still need it.`)
    );
  }

  #fail(failure: Failure): void {
    if (failure.kind === 'refused' && failure.code === 'transfer_used_up')
      return void this.element.replaceWith(openedView().element);
    replace(this.#status, h('div', { class: 'mt-4' }, errorText(failureSentence(failure))));
  }

  #say(text: string): void {
    replace(this.#status, h('p', { class: 'mt-4 text-sm text-ink-soft' }, text));
  }
}

function openedView(): View {
  return closedView(
    t`Already opened`,
    t`This secret text was opened as often as its sender allowed, so it can't be shown again.`,
    'CircleSlash',
    hint(t`If it wasn't you, tell the sender: somebody else may have read it.`),
  );
}

function damagedView(): View {
  return closedView(
    t`Transfer Damaged`,
    t`The text is damaged or was changed on its way. Ask the sender for a new one.`,
    'ShieldAlert',
  );
}
