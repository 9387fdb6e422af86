import { t } from '@lingui/core/macro';
import { Search, X } from 'lucide-react';
import type { KeyboardEvent } from 'react';
import { IconButton } from '../../../components/actions/icon-button.tsx';
import { Select } from '../../../components/form/select.tsx';
import { TextField } from '../../../components/form/text-field.tsx';
import type { FileOrder } from './arrange-files.ts';

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
