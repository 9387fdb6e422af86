import { plural, t } from '@lingui/core/macro';
import { formatSize } from '../../../contracts/values/sizes.ts';
import {
  buildFileTree,
  type FolderNode,
  listFoldersOpenAtFirst,
  listTreeFiles,
  listTreeRows,
  type TreeRow,
} from '../../lib/values/file-tree.ts';
import { canBeSaved, nameOf, type RecipientFile } from '../loading/recipient-files.ts';
import { button, iconButton, type TickState, textField, tick } from '../ui/controls.ts';
import { h, newId, replace } from '../ui/dom.ts';
import { fileIcon, icon } from '../ui/icons.ts';
import { countFiles } from './view-texts.ts';

/** Shorter lists need no filter. */
const LONG_LIST = 12;
/** Rows drawn at once; a button draws more. */
const ROWS_PER_PAGE = 200;

type FileListOptions = {
  files: readonly RecipientFile[];
  onChoice: (chosen: RecipientFile[]) => void;
  onSave: (file: RecipientFile) => void;
};

export type FileList = {
  element: HTMLElement;
  /** Addresses by file id; they arrive after the list. */
  setPictures(pictures: ReadonlyMap<string, string>): void;
  /** Whether files can be saved. */
  setEnabled(isEnabled: boolean): void;
  clearChoice(): void;
  /** Draws the facts of the files again, which have changed. */
  redraw(): void;
};

/** The files in their folders, with ticks and a button to save each. */
export function fileList(options: FileListOptions): FileList {
  return new FileListView(options);
}

class FileListView implements FileList {
  readonly element: HTMLElement;
  readonly #options: FileListOptions;
  readonly #rows = h('ul', {
    'aria-label': t`Files`,
    class: 'divide-y divide-line [--step:0.75rem] sm:[--step:1.25rem]',
  });
  readonly #more = h('div', { class: 'pt-4 empty:hidden' });
  readonly #found = h('p', { role: 'status', class: 'sr-only' });
  readonly #chosen = new Set<string>();
  readonly #all;
  readonly #toggled = new Map<string, boolean>();
  #pictures: ReadonlyMap<string, string> = new Map();
  #search = '';
  #rowCount = ROWS_PER_PAGE;
  #isEnabled = true;
  #tree: FolderNode<RecipientFile>;
  #openAtFirst: Set<string>;
  /** Draws the state of the ticks on the screen. */
  #ticks: (() => void)[] = [];

  constructor(options: FileListOptions) {
    this.#options = options;
    const { files } = options;
    this.#tree = buildTree(files);
    this.#openAtFirst = listFoldersOpenAtFirst(this.#tree);
    const allId = newId('all');
    this.#all = tick({ labelledBy: allId }, (isChosen) => this.#choose(this.#shown(), isChosen));
    this.element = h(
      'section',
      {},
      h('h2', { class: 'border-b border-line-firm pb-3 text-xl' }, t`Files`),
      files.length > LONG_LIST && this.#filter(),
      files.length > 1 &&
        h(
          'div',
          { class: 'border-b border-line text-sm text-ink-soft' },
          h(
            'div',
            { class: '-ml-2 flex min-h-12 items-center gap-1' },
            this.#all.element,
            h('span', { id: allId }, t`Select all`),
          ),
        ),
      this.#found,
      this.#rows,
      this.#more,
    );
    this.#draw();
  }

  setPictures(pictures: ReadonlyMap<string, string>): void {
    this.#pictures = pictures;
    this.#draw();
  }

  setEnabled(isEnabled: boolean): void {
    if (isEnabled === this.#isEnabled) return;
    this.#isEnabled = isEnabled;
    for (const control of this.element.querySelectorAll<HTMLButtonElement>('[data-save]'))
      control.toggleAttribute('hidden', !isEnabled);
  }

  clearChoice(): void {
    this.#choose(this.#options.files, false);
  }

  redraw(): void {
    const { activeElement } = document;
    const place = [...this.#rows.querySelectorAll('button, input')].indexOf(activeElement as Element);
    this.#draw();
    if (place !== -1) this.#rows.querySelectorAll<HTMLElement>('button, input')[place]?.focus();
  }

  #filter(): HTMLElement {
    const field = textField({ label: t`Filter files` });
    field.control.addEventListener('input', () => {
      this.#search = field.control.value.trim().toLowerCase();
      this.#rowCount = ROWS_PER_PAGE;
      const shown = this.#shown();
      this.#tree = buildTree(shown);
      this.#openAtFirst = listFoldersOpenAtFirst(
        this.#tree,
        this.#search ? Number.POSITIVE_INFINITY : undefined,
      );
      this.#found.textContent = this.#search
        ? t`${plural(shown.length, { one: '# file', other: '# files' })} found`
        : '';
      this.#draw();
    });
    return h('div', { class: 'py-4' }, field.element);
  }

  #shown(): RecipientFile[] {
    return this.#options.files.filter(({ path }) => path.toLowerCase().includes(this.#search));
  }

  #isOpen(folder: FolderNode<RecipientFile>): boolean {
    return this.#toggled.get(folder.key) ?? this.#openAtFirst.has(folder.key);
  }

  #draw(): void {
    this.#ticks = [];
    const rows = listTreeRows(this.#tree, (folder) => this.#isOpen(folder));
    replace(this.#rows, ...rows.slice(0, this.#rowCount).map((row) => this.#drawRow(row)));
    const search = this.#search;
    const left = rows.length - this.#rowCount;
    const drawMore = () => {
      const before = this.#rowCount;
      this.#rowCount += ROWS_PER_PAGE;
      this.#draw();
      // The pressed button may be gone.
      this.#rows.children[before]?.querySelector('button')?.focus();
    };
    replace(
      this.#more,
      left > 0 &&
        button(t`Show more (${left} left)`, { variant: 'secondary', size: 'sm', onClick: drawMore }),
      rows.length === 0 &&
        h('p', { class: 'py-10 text-center text-ink-soft' }, t`No files match “${search}”.`),
    );
    this.#drawTicks();
  }

  #drawRow({ node, depth }: TreeRow<RecipientFile>): HTMLElement {
    const row = h('li', {}, node.kind === 'folder' ? this.#drawFolder(node) : this.#drawFile(node.value));
    row.style.paddingInlineStart = `calc(${Math.min(depth, 6)} * var(--step))`;
    return row;
  }

  #drawFolder(folder: FolderNode<RecipientFile>): HTMLElement {
    const isOpen = this.#isOpen(folder);
    const files = listTreeFiles(folder);
    const box = this.#tickFor(t`Select everything in ${folder.name}`, files);
    const toggle = () => {
      this.#toggled.set(folder.key, !isOpen);
      this.#draw();
      this.#rows.querySelector<HTMLElement>(`[data-folder="${CSS.escape(folder.key)}"]`)?.focus();
    };
    return h(
      'div',
      { class: '-ml-2 flex items-center gap-1' },
      box,
      h(
        'button',
        {
          type: 'button',
          'aria-expanded': String(isOpen),
          'data-folder': folder.key,
          class:
            'group flex min-h-14 min-w-0 grow items-center gap-3 rounded-sm text-left focus-visible:-outline-offset-2',
          on: { click: toggle },
        },
        icon(isOpen ? 'FolderOpen' : 'Folder', 'size-6 shrink-0 text-ink-soft', 1.5),
        h('span', { class: 'min-w-0 grow truncate font-medium' }, h('bdi', {}, folder.name)),
        h(
          'span',
          { class: 'tabular shrink-0 text-sm text-ink-faint' },
          countFiles(folder.fileCount),
          h('span', { class: 'max-sm:hidden' }, ` · ${formatSize(folder.sizeBytes)}`),
        ),
        icon(
          'ChevronRight',
          `size-5 shrink-0 text-ink-faint transition-[rotate] duration-(--brisk) group-hover:text-ink ${isOpen ? 'rotate-90' : ''}`,
        ),
      ),
    );
  }

  #drawFile(file: RecipientFile): HTMLElement {
    const name = nameOf(file);
    const save = iconButton(
      t`Save ${name}`,
      'ArrowDown',
      () => {
        if (this.#isEnabled) this.#options.onSave(file);
      },
      { size: 'sm', class: 'relative z-1 [&[hidden]]:hidden' },
    );
    save.dataset.save = '';
    save.hidden = !this.#isEnabled;
    return h(
      'div',
      { class: '-ml-2 flex min-h-14 items-center gap-1 py-2' },
      this.#options.files.length > 1 && this.#tickFor(t`Select ${name}`, [file]),
      this.#drawPicture(file),
      h(
        'div',
        { class: 'ml-2 min-w-0 grow' },
        h('p', { class: 'truncate', title: name }, h('bdi', {}, name)),
        h('p', { class: 'tabular text-sm text-ink-faint' }, describe(file)),
      ),
      canBeSaved(file) && save,
    );
  }

  #drawPicture({ fileId, mimeType }: RecipientFile): HTMLElement {
    const src = this.#pictures.get(fileId);
    const sign = () => icon(fileIcon(mimeType), 'size-6 shrink-0 text-ink-faint', 1.5);
    const box = h('span', { class: 'grid size-10 shrink-0 place-items-center overflow-hidden rounded-xs' });
    const picture =
      src &&
      h('img', {
        src,
        alt: '',
        loading: 'lazy',
        decoding: 'async',
        draggable: 'false',
        class: 'size-full bg-press object-cover',
        on: { error: () => replace(box, sign()) },
      });
    replace(box, picture || sign());
    return box;
  }

  #tickFor(name: string, files: RecipientFile[]): HTMLElement {
    const available = files.filter(canBeSaved);
    const box = tick({ name }, (isChosen) => this.#choose(available, isChosen));
    box.input.disabled = available.length === 0;
    this.#ticks.push(() => box.setState(this.#stateOf(available)));
    return box.element;
  }

  #stateOf(files: readonly RecipientFile[]): TickState {
    const count = files.filter(({ id }) => this.#chosen.has(id)).length;
    if (count === 0) return 'none';
    return count === files.length ? 'all' : 'some';
  }

  #choose(files: readonly RecipientFile[], isChosen: boolean): void {
    for (const { id } of files.filter(canBeSaved)) {
      if (isChosen) this.#chosen.add(id);
      else this.#chosen.delete(id);
    }
    this.#drawTicks();
    this.#options.onChoice(this.#options.files.filter(({ id }) => this.#chosen.has(id)));
  }

  #drawTicks(): void {
    for (const draw of this.#ticks) draw();
    this.#all.setState(this.#stateOf(this.#shown().filter(canBeSaved)));
  }
}

function buildTree(files: readonly RecipientFile[]): FolderNode<RecipientFile> {
  return buildFileTree(
    files.map((file) => ({ path: file.path, sizeBytes: file.size, value: file, key: file.id })),
  );
}

function describe({ isDamaged, isChecking, arrivedBytes, size }: RecipientFile): string | HTMLElement {
  if (isDamaged) return h('span', { class: 'text-danger-ink' }, t`Damaged. Ask the sender to send it again.`);
  if (isChecking) return t`Checking for malware…`;
  if (arrivedBytes === undefined) return formatSize(size);
  return arrivedBytes === 0
    ? t`Arriving · ${formatSize(size)}`
    : t`Arriving · ${formatSize(arrivedBytes)} of ${formatSize(size)}`;
}
