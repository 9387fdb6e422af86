import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { ShieldCheck } from 'lucide-react';
import { type AdminDamagedFile, listDamagedFiles } from '../../../../contracts/admin/system.ts';
import { formatSize } from '../../../../contracts/values/sizes.ts';
import { type Column, DataTable } from '../../../components/data/data-table.tsx';
import { EmptyState } from '../../../components/feedback/empty-state.tsx';
import { formatDateTime } from '../../../lib/time/format-dates.ts';
import { AdminSection } from '../admin-page.tsx';
import { ListBody } from '../lists/list-body.tsx';
import { usePages } from '../lists/use-pages.ts';

const PAGE_SIZE = 20;

/** Files whose stored bytes are missing or wrong. */
export function DamageSection() {
  const list = usePages(listDamagedFiles, {}, PAGE_SIZE);
  return (
    <AdminSection
      id="damage"
      title={t`Damaged files`}
      description={t`Nobody can download these files until they are repaired: restore them from a backup, or ask the owner to send them again. Files are checked again once a day and then become available automatically.`}
    >
      <ListBody
        list={list}
        onClear={undefined}
        nothing={<EmptyState icon={<ShieldCheck />} title={t`No damaged files`} />}
      >
        {(files) => (
          <DataTable
            label={t`Damaged files`}
            rows={files}
            keyOf={({ id }) => id}
            heading={{ label: t`File`, render: (file) => <Name file={file} /> }}
            columns={COLUMNS}
          />
        )}
      </ListBody>
    </AdminSection>
  );
}

const COLUMNS: Column<AdminDamagedFile>[] = [
  {
    label: t`Owner`,
    isWide: true,
    render: ({ owner, ownerEmail }) => (
      <>
        <span className="block wrap-anywhere">{owner}</span>
        <span className="block text-xs wrap-anywhere text-ink-faint">{ownerEmail}</span>
      </>
    ),
  },
  { label: t`Size`, isNumber: true, render: ({ size }) => formatSize(size) },
  {
    label: t`Found`,
    render: ({ damagedAt, ownerToldAt }) => (
      <>
        <time dateTime={damagedAt}>{formatDateTime(damagedAt)}</time>
        <span className="block text-xs text-ink-faint">
          {ownerToldAt ? t`Owner informed` : t`Owner not informed yet`}
        </span>
      </>
    ),
  },
];

function Name({ file }: { file: AdminDamagedFile }) {
  return (
    <div className="max-w-96 min-w-0">
      <p className="line-clamp-2 font-medium wrap-anywhere">{file.relativePath}</p>
      <p className="text-xs wrap-anywhere text-ink-faint">
        <Trans>
          in “{file.transferName}” · {file.storageKey}
        </Trans>
      </p>
    </div>
  );
}
