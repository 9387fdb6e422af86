import { plural, t } from '@lingui/core/macro';
import { nameTransfer } from '../../../contracts/transfers/names.ts';
import { zipDownloadPath } from '../../../contracts/values/addresses/links.ts';
import { formatCount } from '../../../contracts/values/format.ts';
import { formatSize } from '../../../contracts/values/sizes.ts';
import type { TransferKeys } from '../../../encryption/keys.ts';
import { encryptedLink } from '../../../encryption/link.ts';
import { buttonClasses } from '../../components/actions/button-style.ts';
import { canBeSaved, nameOf, type RecipientFile } from '../loading/recipient-files.ts';
import type { ShareLink } from '../loading/share-link.ts';
import { type DownloadView, loadView, type OpenedTransfer } from '../loading/transfer.ts';
import { canPickFolder } from '../saving/abilities.ts';
import type { Form } from '../saving/ladder.ts';
import { type ControllerState, SaveController, type SaveRequest } from '../saving/save-controller.ts';
import { removeStaged } from '../saving/sinks/staged-sink.ts';
import { findUnfinished, forgetUnfinished } from '../saving/unfinished.ts';
import { badge, button, iconButton } from '../ui/controls.ts';
import { type Child, h, replace } from '../ui/dom.ts';
import { icon } from '../ui/icons.ts';
import { bottomBar, DISC, type Frame, headline, stage, stillWell, well } from '../ui/layout.ts';
import type { View } from './closed-views.ts';
import { type FileList, fileList } from './file-list.ts';
import { askToReopen } from './forms.ts';
import { exposedNotice } from './notices.ts';
import { savePanel } from './save-panel.ts';
import { countFiles, describeFiles, formatDate, formatDistance, formatLongDateTime } from './view-texts.ts';

type Options = {
  share: ShareLink & { linkSecret: Uint8Array };
  transfer: OpenedTransfer;
  keys: TransferKeys;
  frame: Frame;
};

export type TransferView = View & { setPictures: FileList['setPictures'] };

/** The files of an open transfer, and saving them. */
export function transferView(options: Options): TransferView {
  const view = new OpenTransferView(options);
  return {
    title: view.title,
    element: view.element,
    start: () => view.drawActions(),
    setPictures: (pictures) => view.list.setPictures(pictures),
  };
}

class OpenTransferView {
  readonly title: string;
  readonly element: HTMLElement;
  readonly list: FileList;
  readonly #options: Options;
  readonly #saves: SaveController;
  readonly #head = h('div');
  readonly #well = h('div', { class: 'contents' });
  readonly #facts = h('div');
  readonly #panel;
  readonly #available: RecipientFile[];
  #view: DownloadView;
  #chosen: RecipientFile[] = [];
  #failed: SaveRequest | undefined;

  constructor(options: Options) {
    const { share, transfer, keys } = options;
    this.#options = options;
    this.#view = transfer.view;
    this.#available = transfer.files.filter(canBeSaved);
    this.title = nameTransfer({
      title: transfer.manifest.title,
      firstFileName: transfer.files[0] && nameOf(transfer.files[0]),
      fileCount: transfer.files.length,
    });
    this.#saves = new SaveController({
      token: share.token,
      recipientToken: share.recipientToken,
      key: keys.content,
      title: this.title,
      onState: (state) => this.#show(state),
    });
    this.#panel = savePanel({
      onPause: () => this.#saves.pause(),
      onResume: () => this.#saves.resume(),
      onCancel: () => this.#saves.cancel(),
      onRetry: () => this.#failed && void this.#saves.start(this.#failed),
      drawEncryptedZip: () => this.#drawEncryptedZip(),
    });
    this.list = fileList({
      files: transfer.files,
      onChoice: (chosen) => {
        this.#chosen = chosen;
        this.drawActions();
      },
      onSave: (file) => void this.#saves.start({ files: [file], isAll: this.#isAll([file]), form: 'file' }),
    });
    this.element = stage({
      isDense: true,
      head: [this.#head],
      well: this.#well,
      body: h(
        'div',
        { class: 'flex flex-col gap-6 sm:gap-8' },
        this.#panel.element,
        this.#drawUnfinished(),
        this.#facts,
        transfer.files.length > 0 && this.list.element,
        this.#drawMoreWays(),
      ),
    });
    this.#drawHead();
    this.#drawFacts();
  }

  get #isUsedUp(): boolean {
    const { maxDownloads, downloadCount = 0 } = this.#view;
    return typeof maxDownloads === 'number' && downloadCount >= maxDownloads;
  }

  #isAll(files: readonly RecipientFile[]): boolean {
    return files.length === (this.#view.fileCount ?? this.#options.transfer.files.length);
  }

  #request(files: readonly RecipientFile[], form?: Form): SaveRequest {
    const best: Form = files.length === 1 ? 'file' : canPickFolder() ? 'folder' : 'zip';
    return { files, isAll: this.#isAll(files), form: form ?? best };
  }

  #start(files: readonly RecipientFile[], form?: Form): void {
    void this.#saves.start(this.#request(files, form));
  }

  #show(state: ControllerState): void {
    if (state.kind === 'failed') this.#failed = state.request;
    this.#panel.show(state);
    this.drawActions();
    if (!('savedBytes' in state)) void this.#refresh();
  }

  /** How many downloads are left. */
  async #refresh(): Promise<void> {
    const view = await loadView(this.#options.share).catch(() => undefined);
    if (!view || view.isExpired) return;
    this.#view = view;
    this.#drawHead();
    this.#drawFacts();
    this.drawActions();
  }

  #drawHead(): void {
    const { files } = this.#options.transfer;
    const { senderName, isDeleting } = this.#view;
    const { token, wasExposed } = this.#options.share;
    replace(
      this.#head,
      headline(this.title),
      h(
        'p',
        { class: 'tabular mt-3 text-lg [word-spacing:0.12em] text-ink-soft sm:mt-5 sm:text-xl' },
        senderName
          ? t`${senderName} sent you ${plural(files.length, { one: '# file', other: '# files' })} · ${formatSize(sumSizes(files))}`
          : describeFiles(files),
      ),
      wasExposed && exposedNotice(),
      this.#isUsedUp &&
        h(
          'p',
          {
            role: 'status',
            class: 'mt-8 max-w-[34rem] rounded-md border border-line-firm bg-surface px-5 py-4',
          },
          h('strong', { class: 'font-semibold' }, t`Download limit reached.`),
          ' ',
          t`All downloads that the sender allowed have been used. Ask the sender to share the files again.`,
        ),
      this.#isUsedUp && !isDeleting && askToReopen(token),
    );
  }

  #drawFacts(): void {
    const { view, manifest, missingCount, revision } = { ...this.#options.transfer, view: this.#view };
    const { createdAt, expiresAt, maxDownloads, downloadCount = 0, encryption } = view;
    const fact = (name: string, value: Child) =>
      h(
        'div',
        { class: 'flex items-baseline gap-2' },
        h('dt', { class: 'text-ink-faint' }, name),
        h('dd', { class: 'tabular font-medium' }, value),
      );
    const isNear = expiresAt ? Date.parse(expiresAt) - Date.now() < 24 * 60 * 60_000 : false;
    replace(
      this.#facts,
      h(
        'section',
        {
          'aria-labelledby': 'transfer-information',
          class: 'flex min-w-0 flex-col gap-3 rounded-lg border border-line bg-surface p-4 sm:gap-4 sm:p-5',
        },
        h(
          'div',
          { class: 'flex flex-wrap items-center gap-x-4 gap-y-2' },
          h('h2', { id: 'transfer-information', class: 'grow text-base' }, t`Transfer Information`),
          expiresAt &&
            badge(
              'Clock',
              isNear ? 'danger' : 'neutral',
              h(
                'time',
                { datetime: expiresAt, title: formatLongDateTime(expiresAt) },
                t`Expires ${formatDistance(expiresAt)}`,
              ),
            ),
          badge('LockKeyhole', 'accent', t`End-to-end encrypted`),
          encryption?.kdf.name !== 'none' && badge('KeyRound', 'outline', t`Password Protected`),
        ),
        manifest.message &&
          h(
            'figure',
            { class: 'border-l-2 border-accent-ink pl-4' },
            h('figcaption', { class: 'text-sm text-ink-faint' }, t`Message from sender`),
            h(
              'blockquote',
              { dir: 'auto', class: 'mt-1 max-w-[44rem] wrap-anywhere whitespace-pre-line' },
              manifest.message,
            ),
          ),
        h(
          'dl',
          { class: 'flex flex-wrap gap-x-6 gap-y-1 text-sm' },
          createdAt &&
            fact(
              t`Uploaded`,
              h('time', { datetime: createdAt, title: formatLongDateTime(createdAt) }, formatDate(createdAt)),
            ),
          typeof maxDownloads === 'number' &&
            fact(t`Download Limit`, `${formatCount(downloadCount)} / ${formatCount(maxDownloads)}`),
          fact(t`Total Downloads`, formatCount(downloadCount)),
          revision > 1 && fact(t`Version of the list`, formatCount(revision)),
        ),
        missingCount > 0 &&
          h(
            'p',
            { class: 'flex gap-2 text-sm text-danger-ink' },
            icon('ShieldAlert', 'mt-0.5 size-4 shrink-0'),
            plural(missingCount, {
              one: '# file of the sender’s list is not on the server.',
              other: '# files of the sender’s list are not on the server.',
            }),
          ),
      ),
    );
  }

  /** The main button and the bar at the bottom, which is not part of the view's element. */
  drawActions(): void {
    const isRunning = this.#saves.isRunning;
    const canSave = this.#available.length > 0 && !this.#isUsedUp;
    this.list.setEnabled(canSave && !isRunning);
    replace(this.#well, canSave || isRunning ? this.#drawDisc(isRunning) : stillWell('CircleSlash'));
    const bar = this.#chosen.length > 0 ? () => this.#drawChoiceBar() : () => this.#drawMainBar();
    this.#options.frame.setBar(canSave && !isRunning && bar());
  }

  #mainLabel(): string {
    return this.#available.length > 1 ? t`Save All Files` : t`Save`;
  }

  #drawDisc(isRunning: boolean): HTMLElement {
    const start = () => {
      if (!isRunning) this.#start(this.#available);
    };
    return well(
      h(
        'button',
        {
          type: 'button',
          'aria-disabled': isRunning && 'true',
          class: `${DISC} group size-56 bg-accent text-on-accent transition-[background-color,scale] duration-(--brisk) ease-settle hover:bg-accent-hover focus-visible:outline-offset-6 active:scale-[0.97] forced-colors:border`,
          on: { click: start },
        },
        h(
          'span',
          { class: 'flex flex-col items-center px-6 text-center' },
          icon('ArrowDown', 'size-11', 1.5),
          h(
            'span',
            { class: 'mt-2 max-w-[6em] font-heading text-xl' },
            isRunning ? t`Saving…` : this.#mainLabel(),
          ),
          ' ',
          h('span', { class: 'tabular mt-1.5 text-sm' }, formatSize(sumSizes(this.#available))),
        ),
      ),
    );
  }

  #drawMainBar(): HTMLElement {
    return bottomBar(
      'lg:hidden',
      h('p', { class: 'tabular hidden grow text-ink-soft sm:block' }, describeFiles(this.#available)),
      button(this.#mainLabel(), {
        size: 'lg',
        icon: 'ArrowDown',
        class: 'max-sm:grow',
        onClick: () => this.#start(this.#available),
      }),
    );
  }

  #drawChoiceBar(): HTMLElement {
    const { files } = this.#options.transfer;
    const chosen = this.#chosen;
    const label = t`Save ${plural(chosen.length, { one: '# file', other: '# files' })} (${formatSize(sumSizes(chosen))})`;
    return bottomBar(
      '',
      iconButton(t`Clear selection`, 'X', () => this.list.clearChoice(), { class: '-ml-2' }),
      h(
        'p',
        { class: 'tabular hidden grow text-ink-soft sm:block' },
        t`${formatCount(chosen.length)} of ${countFiles(files.length)} selected`,
      ),
      chosen.length > 1 &&
        canPickFolder() &&
        button(t`As zip`, { variant: 'secondary', onClick: () => this.#start(chosen, 'zip') }),
      button(label, {
        icon: 'ArrowDown',
        class: 'max-sm:shrink max-sm:grow max-sm:px-4 max-sm:leading-tight max-sm:whitespace-normal',
        onClick: () => this.#start(chosen),
      }),
    );
  }

  /** A staged save that a reload interrupted. */
  #drawUnfinished(): HTMLElement | null {
    const { share, transfer } = this.#options;
    const unfinished = findUnfinished();
    if (unfinished?.token !== share.token) return null;
    const ids = unfinished.fileIds && new Set(unfinished.fileIds);
    const files = transfer.files.filter(({ id }) => !ids || ids.has(id));
    const resume = () => {
      notice.remove();
      this.#start(files, unfinished.form);
    };
    const discard = () => {
      notice.remove();
      forgetUnfinished(share.token);
      void removeStaged(unfinished.stagedName);
    };
    const notice = h(
      'section',
      { role: 'status', class: 'rounded-lg border border-line-firm bg-surface p-4 sm:p-5' },
      h('p', {}, t`A save was interrupted. It continues where it stopped.`),
      h(
        'div',
        { class: 'mt-4 flex flex-wrap gap-3' },
        button(t`Continue`, { size: 'sm', icon: 'Play', onClick: resume }),
        button(t`Discard`, { variant: 'secondary', size: 'sm', onClick: discard }),
      ),
    );
    return notice;
  }

  #drawMoreWays(): HTMLElement | null {
    if (this.#available.length === 0 || this.#isUsedUp) return null;
    const way = (title: string, ...content: Child[]) =>
      h(
        'div',
        { class: 'flex flex-col items-start gap-3' },
        h('p', { class: 'font-medium' }, title),
        ...content,
      );
    return h(
      'details',
      { class: 'group border-y border-line' },
      h(
        'summary',
        {
          class:
            'flex min-h-14 list-none items-center justify-between gap-3 font-medium [&::-webkit-details-marker]:hidden',
        },
        t`More ways to save`,
        icon(
          'ChevronRight',
          'size-5 text-ink-faint transition-[rotate] duration-(--brisk) group-open:rotate-90',
        ),
      ),
      h(
        'div',
        { class: 'flex flex-col gap-8 pt-2 pb-6' },
        this.#available.length > 1 &&
          canPickFolder() &&
          way(
            t`One zip instead of a folder`,
            button(t`Save as zip`, {
              variant: 'secondary',
              size: 'sm',
              icon: 'ArrowDown',
              onClick: () => this.#start(this.#available, 'zip'),
            }),
          ),
        way(
          t`Without trusting this page: your browser decrypts with code that this server sends. The command line has its own.`,
          this.#drawEncryptedZip(),
        ),
      ),
    );
  }

  /** For browsers without room, and for people who decrypt with the command line. */
  #drawEncryptedZip(): HTMLElement {
    const { token, recipientToken, linkSecret } = this.#options.share;
    const link = encryptedLink(window.location.origin, token, linkSecret, recipientToken);
    const command = `sendwell open FILE.zip --link '${link}'`;
    const copied = h('span', { role: 'status', class: 'sr-only' });
    const copy = iconButton(
      t`Copy command`,
      'Copy',
      async () => {
        await navigator.clipboard.writeText(command);
        copied.textContent = t`Copied!`;
      },
      { size: 'sm' },
    );
    return h(
      'div',
      { class: 'flex w-full flex-col items-start gap-3 text-sm text-ink-soft' },
      h('p', {}, t`Save the encrypted zip now, and open it with this command:`),
      h(
        'a',
        {
          href: zipDownloadPath(token, recipientToken),
          download: '',
          class: buttonClasses('secondary', 'sm'),
        },
        icon('ArrowDown'),
        t`Save encrypted zip`,
      ),
      h(
        'div',
        { class: 'flex w-full items-start gap-2 rounded-md border border-line bg-sunken py-2 pr-2 pl-4' },
        h(
          'pre',
          {
            tabindex: 0,
            class:
              'min-w-0 grow overflow-x-auto rounded-xs py-2 font-mono text-xs leading-relaxed text-ink-soft',
          },
          command,
        ),
        copy,
        copied,
      ),
    );
  }
}

function sumSizes(files: readonly { size: number }[]): number {
  return files.reduce((sum, { size }) => sum + size, 0);
}
