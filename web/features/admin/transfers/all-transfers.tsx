import { t } from '@lingui/core/macro';
import { Files } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import type { AdminTransfer } from '../../../../contracts/admin/transfers.ts';
import { TITLE_MAX } from '../../../../contracts/plans/limits.ts';
import { EmptyState } from '../../../components/feedback/empty-state.tsx';
import { SearchField } from '../../../components/form/search-field.tsx';
import { TextField } from '../../../components/form/text-field.tsx';
import { useSelection } from '../../../lib/values/use-selection.ts';
import { FilterSelect } from '../lists/filter-select.tsx';
import { ListBody } from '../lists/list-body.tsx';
import { useView } from '../lists/use-view.ts';
import { type OpenTransferDialog, TransferDialogs } from './transfer-dialogs.tsx';
import {
  isNarrowed,
  readSize,
  TRANSFER_VIEW,
  type TransferView,
  useAllTransfers,
} from './transfer-queries.ts';
import { TransferSelection } from './transfer-selection.tsx';
import { TransfersTable } from './transfers-table.tsx';

export function AllTransfers() {
  const { view, change, clear } = useView(TRANSFER_VIEW);
  const list = useAllTransfers(view);
  const selection = useSelection<AdminTransfer>();
  const [dialog, setDialog] = useState<OpenTransferDialog | null>(null);
  return (
    <>
      <TransferToolbar view={view} onChange={change} isSearching={list.isSearching} />
      <ListBody
        list={list}
        onClear={isNarrowed(view) ? clear : undefined}
        nothing={<EmptyState icon={<Files />} title={t`No transfers yet`} />}
      >
        {(transfers) => <TransfersTable {...{ transfers, selection }} onOpen={setDialog} />}
      </ListBody>
      {selection.chosen.length > 0 && <TransferSelection selection={selection} onOpen={setDialog} />}
      <TransferDialogs
        dialog={dialog}
        onClose={() => setDialog(null)}
        onGone={(ids) => selection.remove(ids)}
        onExtended={selection.clear}
      />
    </>
  );
}

const STATE_OPTIONS = [
  { value: '', label: t`All states` },
  { value: 'active', label: t`Active` },
  { value: 'expired', label: t`Expired` },
  { value: 'reported', label: t`Reported` },
  { value: 'taken-down', label: t`Taken down` },
];
const SORTS = [
  { value: '', label: t`Newest first` },
  { value: 'oldest', label: t`Oldest first` },
  { value: 'expiry', label: t`Expiring first` },
  { value: 'size', label: t`Largest first` },
];

type TransferToolbarProps = {
  view: TransferView;
  onChange: (changes: Partial<TransferView>) => void;
  isSearching: boolean;
};

function TransferToolbar({ view, onChange, isSearching }: TransferToolbarProps) {
  const field = useRef<HTMLInputElement>(null);
  return (
    <search className="mb-3 flex flex-wrap gap-2">
      <div className="flex min-w-[min(100%,18rem)] grow">
        <SearchField
          label={t`Search transfers`}
          placeholder={t`Title, message or file name`}
          maxLength={TITLE_MAX}
          search={view.search}
          onSearch={(search) => onChange({ search })}
          isSearching={isSearching}
          field={field}
        />
      </div>
      <div className="flex flex-wrap gap-2 max-sm:w-full">
        <FilterSelect
          label={t`State`}
          options={STATE_OPTIONS}
          value={view.state}
          onChange={(state) => onChange({ state })}
        />
        <FilterSelect
          label={t`Sort`}
          options={SORTS}
          value={view.sort}
          onChange={(sort) => onChange({ sort })}
        />
      </div>
      <div className="grid w-full grid-cols-2 gap-2 sm:grid-cols-4">
        <FilterText
          label={t`Owner`}
          placeholder={t`Owner: username or email`}
          className="col-span-2"
          value={view.owner}
          onChange={(owner) => onChange({ owner })}
        />
        <FilterText
          label={t`Smallest size`}
          placeholder={t`From 10MB`}
          isSize
          value={view.min}
          onChange={(min) => onChange({ min })}
        />
        <FilterText
          label={t`Largest size`}
          placeholder={t`Up to 5GB`}
          isSize
          value={view.max}
          onChange={(max) => onChange({ max })}
        />
      </div>
    </search>
  );
}

type FilterTextProps = {
  label: string;
  placeholder: string;
  value: string;
  onChange: (value: string) => void;
  isSize?: boolean;
  className?: string;
};

/** Applies on Enter or blur: a half-typed address or size would find nothing. */
function FilterText({ value, onChange, isSize, ...field }: FilterTextProps) {
  const [text, setText] = useState(value);
  const [error, setError] = useState<string>();
  // The address also changes through Back and "Show all".
  useEffect(() => {
    setText(value);
    setError(undefined);
  }, [value]);
  const apply = () => {
    const wanted = text.trim();
    if (wanted === value) return setError(undefined);
    if (isSize && wanted && readSize(wanted) === undefined) return setError(t`A size like 10MB or 5GB`);
    onChange(wanted);
  };
  return (
    <TextField
      {...field}
      isLabelHidden
      autoComplete="off"
      autoCapitalize="none"
      spellCheck={false}
      maxLength={320}
      value={text}
      error={error}
      onChange={({ target }) => setText(target.value)}
      onBlur={apply}
      onKeyDown={({ key }) => key === 'Enter' && apply()}
    />
  );
}
