import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { ChartNoAxesColumn, Earth, FileDown, type LucideIcon } from 'lucide-react';
import { PAGES } from '../../../contracts/values/addresses/pages.ts';
import { UpgradeOffer } from '../../components/feedback/upgrade-offer.tsx';
import { useWidth } from '../../lib/hooks/use-width.ts';
import { Link } from '../../lib/routing.tsx';
import { bucketDays, layOutTimeline } from './timeline/timeline.ts';
import { TimelineDrawing } from './timeline/timeline-drawing.tsx';

const PROMISES: { icon: LucideIcon; text: string }[] = [
  {
    icon: ChartNoAxesColumn,
    text: t`Daily views and downloads, for each transfer and in total`,
  },
  { icon: FileDown, text: t`Which files are downloaded, and how many downloads complete` },
  { icon: Earth, text: t`The countries, pages and devices that visitors come from` },
];

export function UpgradeInvitation() {
  return (
    <UpgradeOffer
      title={t`See what happens to the files you send`}
      text={t`Analytics is part of the Pro plan, which shows 90 days, and of Premium, which shows 24 months.`}
      promises={PROMISES}
      back={{ to: PAGES.dashboard, label: t`Back to My Transfers` }}
      note={
        <p className="mt-5 text-sm text-ink-faint">
          <Trans>
            Every plan shows the latest downloads of a transfer{' '}
            <Link to={PAGES.dashboard} className="link">
              on its own page
            </Link>
            .
          </Trans>
        </p>
      }
      example={<Example />}
    />
  );
}

const EXAMPLE_VIEWS = [3, 5, 4, 9, 14, 11, 6, 8, 17, 26, 21, 13, 9, 12, 19, 24, 31, 22, 15, 10, 12];

function Example() {
  const [frame, width] = useWidth<HTMLElement>();
  const days = EXAMPLE_VIEWS.map((views, index) => ({
    date: `2026-06-${String(index + 1).padStart(2, '0')}`,
    views,
    downloads: Math.round(views * 0.6),
  }));
  const layout = layOutTimeline(bucketDays(days, 'day'), 'day', { width, height: 260 });
  return (
    <figure ref={frame} className="min-w-0">
      {width > 0 && <TimelineDrawing layout={layout} />}
      <figcaption className="mt-4 text-center text-sm text-ink-faint">
        <Trans>An example with made-up numbers</Trans>
      </figcaption>
    </figure>
  );
}
