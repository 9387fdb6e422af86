import { t } from '@lingui/core/macro';
import { ArrowDown, Search, X } from 'lucide-react';
import { type KeyboardEvent, useMemo } from 'react';
import type { TransferFile } from '../../../../contracts/transfers/transfers.ts';
import { Button } from '../../../components/actions/button.tsx';
import { IconButton } from '../../../components/actions/icon-button.tsx';
import { Select } from '../../../components/form/select.tsx';
import { TextField } from '../../../components/form/text-field.tsx';
import { TickBox } from '../../../components/form/tick-box.tsx';
import { BottomBar } from '../bottom-bar.tsx';
import type { FileOrder } from './arrange-files.ts';
import type { ChoiceAction } from './choice-action.ts';
import { canBeChosen, type FileChoice, stateOfChoice } from './use-file-choice.ts';

const ORDER_NAMES: Record<FileOrder, string> = {
  folders: t`By folder`,
  name: t`By name`,
  largest: t`Largest first`,
  smallest: t`Smallest first`,
  sent: t`Original order`,
};

type FileToolbarProps = {
  search: string;
  onSearch: (search: string) => void;
  order: FileOrder;
  orders: readonly FileOrder[];
  onOrder: (order: FileOrder) => void;
};

/** Filters and sorts a long list. */
export function FileToolbar({ search, onSearch, order, orders, onOrder }: FileToolbarProps) {
  const clearOnEscape = (event: KeyboardEvent) => {
    if (event.key === 'Escape') onSearch('');
  };
  return (
    <search className="flex flex-col gap-3 py-4 sm:flex-row">
      <TextField
        label={t`Filter files`}
        isLabelHidden
        placeholder={t`Filter by name or folder`}
        className="grow"
        icon={<Search />}
        suffix={
          search && <IconButton label={t`Clear filter`} icon={<X />} size="sm" onClick={() => onSearch('')} />
        }
        inputMode="search"
        enterKeyHint="search"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={200}
        value={search}
        onChange={({ target }) => onSearch(target.value)}
        onKeyDown={clearOnEscape}
      />
      <Select
        label={t`Sort`}
        isLabelHidden
        className="sm:w-44"
        options={orders.map((value) => ({ value, label: ORDER_NAMES[value] }))}
        value={order}
        onChange={({ target }) => onOrder(target.value as FileOrder)}
      />
    </search>
  );
}

type FilesTickProps = {
  /** The accessible name, unless `id` belongs to a label. */
  label?: string;
  id?: string;
  files: readonly TransferFile[];
  choice: FileChoice;
  /** Includes files that are not loaded yet. */
  isForAll?: boolean;
};

/** Selects several files; mixed if only some are selected. */
export function FilesTick({ label, id, files, choice, isForAll = false }: FilesTickProps) {
  const available = useMemo(() => files.filter(canBeChosen), [files]);
  const state = stateOfChoice(available, choice.chosen);
  return (
    <TickBox
      id={id}
      aria-label={label}
      checked={state === 'all'}
      isMixed={state === 'some'}
      disabled={available.length === 0}
      onChange={() => (isForAll ? choice.setAll(state !== 'all') : choice.set(available, state !== 'all'))}
    />
  );
}

type ChoiceBarProps = { action: ChoiceAction; onClear: () => void };

/** Number of selected files, and a button to download them. */
export function ChoiceBar({ action, onClear }: ChoiceBarProps) {
  const { label, detail, isPreparing, onStart } = action;
  return (
    <BottomBar>
      <IconButton
        label={t`Clear selection`}
        icon={<X />}
        tooltip="none"
        className="-ml-2"
        onClick={onClear}
      />
      <p className="tabular hidden grow text-ink-soft sm:block">{detail}</p>
      <Button
        className="max-sm:shrink max-sm:grow max-sm:px-4 max-sm:leading-tight max-sm:whitespace-normal max-[379px]:text-sm"
        icon={<ArrowDown aria-hidden="true" />}
        isBusy={isPreparing}
        busyLabel={t`Preparing Download...`}
        onClick={onStart}
      >
        {label}
      </Button>
    </BottomBar>
  );
}
