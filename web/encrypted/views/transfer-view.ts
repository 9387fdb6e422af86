import { plural, t } from '@lingui/core/macro';
import { viewArrival } from '../../../contracts/transfers/arrival.ts';
import { nameTransfer } from '../../../contracts/transfers/names.ts';
import { formatCount } from '../../../contracts/values/format.ts';
import { formatSize } from '../../../contracts/values/sizes.ts';
import type { TransferKeys } from '../../../encryption/keys.ts';
import { followArrival } from '../../lib/loading/follow-arrival.ts';
import { call, isUnreachable } from '../loading/calls.ts';
import { canBeSaved, hasSum, nameOf, type RecipientFile } from '../loading/recipient-files.ts';
import type { ShareLink } from '../loading/share-link.ts';
import { type DownloadView, loadPictures, loadView, type OpenedTransfer } from '../loading/transfer.ts';
import { canPickFolder } from '../saving/abilities.ts';
import { hasClaim } from '../saving/kept-claims.ts';
import type { Form } from '../saving/ladder.ts';
import { type ControllerState, SaveController, type SaveRequest } from '../saving/save-controller.ts';
import { removeStaged } from '../saving/sinks/staged-sink.ts';
import { findUnfinished, forgetUnfinished } from '../saving/unfinished.ts';
import { button, iconButton } from '../ui/controls.ts';
import { type Child, h, replace } from '../ui/dom.ts';
import { icon } from '../ui/icons.ts';
import { bottomBar, changeDisc, DISC, type Frame, headline, stage, stillDisc, well } from '../ui/layout.ts';
import { type ArrivalPanel, arrivalPanel } from './arrival-panel.ts';
import type { View } from './closed-views.ts';
import { encryptedZip } from './encrypted-zip.ts';
import { type FileList, fileList } from './file-list.ts';
import { askToReopen } from './forms.ts';
import { exposedNotice } from './notices.ts';
import { savePanel } from './save-panel.ts';
import { transferFacts } from './transfer-facts.ts';
import { countFiles, describeFiles } from './view-texts.ts';

type Options = {
  share: ShareLink & { linkSecret: Uint8Array };
  transfer: OpenedTransfer;
  keys: TransferKeys;
  frame: Frame;
  /** Undefined if the transfer is no longer open. Throws ApiError, NetworkError, or the manifest's error. */
  reload: () => Promise<OpenedTransfer | undefined>;
  /** Other files were announced, or the transfer is no longer open. */
  onChange: () => void;
};

/** The files of an open transfer, and saving them. */
export function transferView(options: Options): View {
  const view = new OpenTransferView(options);
  return {
    title: view.title,
    element: view.element,
    start: () => view.start(),
    stop: () => view.stop(),
  };
}

class OpenTransferView {
  readonly title: string;
  readonly element: HTMLElement;
  readonly list: FileList;
  readonly #options: Options;
  readonly #saves: SaveController;
  readonly #head = h('div');
  readonly #well = well(stillDisc('Clock'));
  readonly #facts = h('div');
  readonly #more = h('div', { class: 'contents' });
  readonly #panel;
  readonly #unfinished;
  readonly #available: RecipientFile[];
  #arrival: ArrivalPanel | undefined;
  readonly #stopped = new AbortController();
  #view: DownloadView;
  #chosen: RecipientFile[] = [];
  #failed: SaveRequest | undefined;
  #hasSaved = false;
  #isSaving = false;
  /** The server has refused a save because no download is left. */
  #isRefused = false;

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
      // If going on in the same folder fails, too, the next attempt asks for another: the folder may be full or gone.
      onRetry: () => {
        const failed = this.#failed!;
        void this.#saves.start({ ...failed, isContinued: !failed.isContinued });
      },
      drawEncryptedZip: () => encryptedZip(this.#options.share),
    });
    const { arrival, offersArrivalNotice = false } = transfer.view;
    const { token } = share;
    this.#arrival =
      arrival &&
      arrivalPanel({
        token,
        progress: arrival,
        offersNotice: offersArrivalNotice,
        canSaveAll: this.#canSave(this.#available),
      });
    this.list = fileList({
      files: transfer.files,
      onChoice: (chosen) => {
        this.#chosen = chosen;
        this.drawActions();
      },
      onSave: (file) => void this.#saves.start({ files: [file], isAll: this.#isAll([file]), form: 'file' }),
    });
    this.#unfinished = this.#drawUnfinished();
    this.element = stage({
      isDense: true,
      head: [this.#head],
      well: this.#well,
      body: h(
        'div',
        { class: 'flex flex-col gap-6 sm:gap-8' },
        this.#panel.element,
        this.#arrival?.element,
        this.#unfinished,
        this.#facts,
        transfer.files.length > 0 && this.list.element,
        this.#more,
      ),
    });
    this.#drawHead();
    this.#drawFacts();
    replace(this.#more, this.#drawMoreWays());
  }

  start(): void {
    this.drawActions();
    void this.#drawPictures();
    const { arrival } = this.#view;
    if (arrival) void this.#follow(arrival.listVersion);
  }

  stop(): void {
    this.#stopped.abort();
  }

  async #follow(listVersion: string): Promise<void> {
    const { token } = this.#options.share;
    const end = new AbortController();
    const signal = AbortSignal.any([this.#stopped.signal, end.signal]);
    await followArrival({
      listVersion,
      signal,
      fetchProgress: () => call(viewArrival, { params: { token }, signal }),
      onProgress: (progress) => {
        this.#arrival!.show(progress);
        const arrived = new Map(progress.files.map(({ id, receivedBytes }) => [id, receivedBytes]));
        const { files } = this.#options.transfer;
        const grown = files.filter(({ id, arrivedBytes }) => (arrived.get(id) ?? 0) > (arrivedBytes ?? 0));
        for (const file of grown) file.arrivedBytes = arrived.get(file.id);
        if (grown.length > 0) this.list.redraw();
      },
      onChange: async () => {
        // A save goes on with what it has begun.
        if (this.#saves.isRunning) return;
        const latest = await this.#options
          .reload()
          .catch((error: unknown) => (isUnreachable(error) ? 'unreachable' : undefined));
        if (latest === 'unreachable' || this.#saves.isRunning || signal.aborted) return;
        end.abort();
        if (latest && this.#accept(latest)) return;
        // The result of a save stays on the page, although auto-delete may have removed the transfer.
        if (this.#hasSaved) this.#endArrival();
        else this.#options.onChange();
      },
    });
  }

  /** Shows what has arrived. Returns false if the files are others. */
  #accept(latest: OpenedTransfer): boolean {
    const { transfer } = this.#options;
    const { files } = transfer;
    const byId = new Map(latest.files.map((file) => [file.id, file]));
    if (byId.size !== files.length || files.some(({ id }) => !byId.has(id))) return false;
    for (const file of files) Object.assign(file, byId.get(file.id));
    Object.assign(transfer, { ...latest, files });
    this.#view = latest.view;
    this.list.redraw();
    this.#drawHead();
    this.#drawFacts();
    const { arrival } = latest.view;
    if (arrival) void this.#follow(arrival.listVersion);
    else this.#endArrival();
    return true;
  }

  #endArrival(): void {
    this.#arrival?.element.remove();
    this.#arrival = undefined;
    replace(this.#more, this.#drawMoreWays());
    this.drawActions();
    void this.#drawPictures();
  }

  async #drawPictures(): Promise<void> {
    const { share, keys } = this.#options;
    const pictures = await loadPictures(share, keys);
    if (pictures.size > 0) this.list.setPictures(pictures);
  }

  /** Several files become one zip where no folder can be picked, and a zip needs the checksums of its files. */
  #canSave(files: readonly RecipientFile[]): boolean {
    return !this.#view.arrival || files.length === 1 || canPickFolder() || files.every(hasSum);
  }

  /** A download that was counted, but canceled or interrupted, may go on. */
  get #isUsedUp(): boolean {
    const { maxDownloads, downloadCount = 0 } = this.#view;
    const isLimitReached = typeof maxDownloads === 'number' && downloadCount >= maxDownloads;
    return isLimitReached && (this.#isRefused || !hasClaim(this.#options.share.token));
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
    if (state.kind === 'failed') {
      this.#failed = state.request;
      this.#isRefused = state.failure.kind === 'refused' && state.failure.code === 'transfer_used_up';
    }
    if (state.kind === 'done') this.#hasSaved = true;
    this.#panel.show(state);
    const isSaving = 'savedBytes' in state;
    // Progress is reported ten times a second and does not change the actions.
    if (isSaving && this.#isSaving) return;
    this.#isSaving = isSaving;
    this.drawActions();
    if (isSaving) this.#unfinished?.remove();
    else void this.#refresh();
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
    replace(this.#facts, transferFacts({ ...this.#options.transfer, view: this.#view }));
  }

  /** The main button and the bar at the bottom, which is not part of the view's element. */
  drawActions(): void {
    const isRunning = this.#saves.isRunning;
    const canSave = this.#available.length > 0 && !this.#isUsedUp;
    const canSaveAll = canSave && this.#canSave(this.#available);
    this.list.setEnabled(canSave && !isRunning);
    this.#arrival?.setSaving(isRunning);
    const still = stillDisc(canSave ? 'Clock' : 'CircleSlash');
    changeDisc(this.#well, canSaveAll || isRunning ? this.#drawDisc(isRunning) : still);
    const isChosen = this.#chosen.length > 0;
    const hasBar = canSave && !isRunning && (isChosen ? this.#canSave(this.#chosen) : canSaveAll);
    this.#options.frame.setBar(hasBar && (isChosen ? this.#drawChoiceBar() : this.#drawMainBar()));
  }

  #mainLabel(): string {
    if (this.#arrival) return t`Start now`;
    return this.#available.length > 1 ? t`Save All Files` : t`Save`;
  }

  #drawDisc(isRunning: boolean): HTMLElement {
    return h(
      'button',
      {
        type: 'button',
        'aria-disabled': isRunning && 'true',
        class: `${DISC} size-56 bg-accent text-on-accent transition-[background-color,scale] duration-(--brisk) ease-settle hover:bg-accent-hover focus-visible:outline-offset-6 active:scale-[0.97] forced-colors:border`,
        // Does nothing while a save runs.
        on: { click: () => this.#start(this.#available) },
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
        chosen.every(hasSum) &&
        button(t`As zip`, { variant: 'secondary', onClick: () => this.#start(chosen, 'zip') }),
      button(label, {
        icon: 'ArrowDown',
        class: 'max-sm:shrink max-sm:grow max-sm:px-4 max-sm:leading-tight max-sm:whitespace-normal',
        onClick: () => this.#start(chosen),
      }),
    );
  }

  /** A save that a reload interrupted. Any save that starts removes it. */
  #drawUnfinished(): HTMLElement | null {
    const { share, transfer } = this.#options;
    const unfinished = findUnfinished();
    if (unfinished?.token !== share.token) return null;
    const ids = unfinished.fileIds && new Set(unfinished.fileIds);
    const files = transfer.files.filter(({ id }) => !ids || ids.has(id));
    const resume = () =>
      void this.#saves.start({ ...this.#request(files, unfinished.form), isContinued: true });
    const discard = () => {
      this.#unfinished?.remove();
      forgetUnfinished(share.token);
      if (unfinished.stagedName) void removeStaged(unfinished.stagedName);
    };
    return h(
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
          this.#available.every(hasSum) &&
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
          encryptedZip(this.#options.share),
        ),
      ),
    );
  }
}

function sumSizes(files: readonly { size: number }[]): number {
  return files.reduce((sum, { size }) => sum + size, 0);
}
