import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Clapperboard, Eye, Image, Pencil, Trash2 } from 'lucide-react';
import type { Ad } from '../../../../contracts/plans/ads.ts';
import { formatCount } from '../../../../contracts/values/format.ts';
import { IconButton } from '../../../components/actions/icon-button.tsx';
import { type Column, DataTable } from '../../../components/data/data-table.tsx';
import { Badge } from '../../../components/feedback/badge.tsx';
import { Switch } from '../../../components/form/switch.tsx';
import { Picture } from '../../../components/media/thumbnail.tsx';
import { formatDate } from '../../../lib/time/format-dates.ts';
import { describeShowing } from './ad-form.ts';
import { useAdFile, useToggleAd } from './ad-queries.ts';

type AdsTableProps = {
  ads: Ad[];
  onEdit: (ad: Ad) => void;
  onPreview: (ad: Ad) => void;
  onDelete: (ad: Ad) => void;
};

const COLUMNS: Column<Ad>[] = [
  {
    label: t`Duration`,
    isNumber: true,
    render: ({ type, duration }) => (type === 'video' ? t`Video length` : `${duration} s`),
  },
  { label: t`Priority`, isNumber: true, render: ({ priority }) => priority },
  { label: t`Runs`, render: (ad) => <Dates ad={ad} /> },
  { label: t`Views`, isNumber: true, render: ({ views }) => formatCount(views) },
  { label: t`Clicks`, isNumber: true, render: (ad) => <Clicks ad={ad} /> },
  { label: t`Active`, render: (ad) => <ActiveSwitch ad={ad} /> },
];

export function AdsTable({ ads, onEdit, onPreview, onDelete }: AdsTableProps) {
  return (
    <DataTable
      label={t`Ads`}
      rows={ads}
      keyOf={({ id }) => id}
      heading={{ label: t`Ad`, render: (ad) => <Identity ad={ad} /> }}
      columns={COLUMNS}
      actions={(ad) => (
        <>
          <IconButton label={t`Preview ${ad.title}`} icon={<Eye />} size="sm" onClick={() => onPreview(ad)} />
          <IconButton label={t`Edit ${ad.title}`} icon={<Pencil />} size="sm" onClick={() => onEdit(ad)} />
          <IconButton
            label={t`Delete ${ad.title}`}
            icon={<Trash2 />}
            size="sm"
            onClick={() => onDelete(ad)}
          />
        </>
      )}
    />
  );
}

function Identity({ ad }: { ad: Ad }) {
  const { title, linkUrl } = ad;
  const { word, tone } = describeShowing(ad);
  return (
    <div className="flex min-w-0 items-start gap-3">
      <AdThumbnail ad={ad} />
      <div className="min-w-0">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <span className="font-medium wrap-anywhere">{title}</span>
          <Badge tone={tone}>{word}</Badge>
        </p>
        {linkUrl && (
          <a
            href={linkUrl}
            target="_blank"
            rel="noreferrer noopener"
            className="line-clamp-1 rounded-xs text-xs leading-6 wrap-anywhere text-ink-faint hover:text-accent-ink"
          >
            {linkUrl.replace(/^https?:\/\//, '')}
            <span className="sr-only">
              {' '}
              <Trans>(opens in a new tab)</Trans>
            </span>
          </a>
        )}
      </div>
    </div>
  );
}

function AdThumbnail({ ad: { id, type, wasabiKey } }: { ad: Ad }) {
  const hasPicture = type === 'image' && wasabiKey !== null;
  const { data } = useAdFile(id, hasPicture);
  const Icon = type === 'video' ? Clapperboard : Image;
  return (
    <span className="grid h-11 w-18 shrink-0 place-items-center overflow-hidden rounded-sm bg-press text-ink-faint">
      <Picture src={data?.url} className="size-full object-cover">
        <Icon aria-hidden="true" strokeWidth={1.5} className="size-5" />
        <span className="sr-only">{type}</span>
      </Picture>
    </span>
  );
}

function Dates({ ad: { startDate, endDate } }: { ad: Ad }) {
  if (!startDate && !endDate) return t`Always`;
  return (
    <span className="block leading-snug">
      {startDate && (
        <span className="block">
          <Trans>from {formatDate(startDate)}</Trans>
        </span>
      )}
      {endDate && (
        <span className="block">
          <Trans>until {formatDate(endDate)}</Trans>
        </span>
      )}
    </span>
  );
}

function Clicks({ ad: { views, clicks } }: { ad: Ad }) {
  return (
    <>
      {formatCount(clicks)}
      {views > 0 && (
        <span className="block text-xs text-ink-faint">{((clicks / views) * 100).toFixed(1)}%</span>
      )}
    </>
  );
}

/** Optimistic: reverts if the server refuses. */
function ActiveSwitch({ ad }: { ad: Ad }) {
  const { mutate, isPending, variables } = useToggleAd(ad);
  return (
    <Switch
      className="w-fit"
      label={t`${ad.title} is active`}
      isLabelHidden
      checked={isPending ? variables : ad.isActive}
      onChange={({ target }) => !isPending && mutate(target.checked)}
    />
  );
}
