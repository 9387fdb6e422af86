import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { ArrowDown, Image } from 'lucide-react';
import { useEffect, useState } from 'react';
import { ProgressBar } from '../../../components/feedback/progress-bar.tsx';
import { Logo } from '../../../components/layout/logo.tsx';
import { PictureBackdrop } from '../../../components/media/picture-backdrop.tsx';
import type { Sending } from './use-background.ts';

const BOX = 'relative isolate aspect-video overflow-hidden rounded-lg border border-line-firm';

type BackgroundPreviewProps = { url: string | null; sending: Sending | undefined };

/** A small download page with the background, or with the picture being uploaded. */
export function BackgroundPreview({ url, sending }: BackgroundPreviewProps) {
  if (sending) return <SendingPreview sending={sending} />;
  if (!url) return <EmptyPreview />;
  return <SamplePage large={`${url}?size=large`} small={`${url}?size=small`} />;
}

function SendingPreview({ sending: { file, sentShare } }: { sending: Sending }) {
  const [address, setAddress] = useState<string>();
  useEffect(() => {
    const made = URL.createObjectURL(file);
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [file]);
  const isSent = sentShare >= 1;
  const percent = Math.floor(sentShare * 100);
  const { name } = file;
  return (
    <div className="relative">
      <SamplePage {...(address && { large: address })} />
      <div data-over-picture="" className="absolute inset-x-0 bottom-0 px-5 pb-4 text-ink">
        <p aria-hidden="true" className="tabular mb-2 text-sm">
          {isSent ? t`Preparing the picture…` : t`Uploading ${percent}%`}
        </p>
        <ProgressBar label={t`Uploading ${name}`} value={isSent ? null : sentShare} size="sm" />
      </div>
    </div>
  );
}

function EmptyPreview() {
  return (
    <div className="grid aspect-video place-items-center rounded-lg border border-dashed border-edge px-6 text-center">
      <div>
        <Image aria-hidden="true" strokeWidth={1.25} className="mx-auto size-10 text-ink-faint" />
        <p className="mt-3 text-ink-soft">
          <Trans>No picture yet. Your download pages use the default look.</Trans>
        </p>
      </div>
    </div>
  );
}

/** All sizes are relative to the box's width. */
function SamplePage({ large, small }: { large?: string; small?: string }) {
  return (
    <div
      role="img"
      aria-label={t`Preview: your download page with this background`}
      data-over-picture=""
      className={`@container ${BOX} bg-canvas text-ink`}
    >
      {large && <PictureBackdrop large={large} {...(small && { small })} className="absolute inset-0" />}
      <div aria-hidden="true" className="flex h-full flex-col p-[4cqw]">
        <span className="origin-top-left scale-[0.7] self-start @lg:scale-90">
          <Logo />
        </span>
        <div className="mt-[3cqw] flex grow gap-[5cqw]">
          <div className="min-w-0 grow">
            <p className="font-heading text-[6.5cqw] leading-none">
              <Trans>Holiday pictures</Trans>
            </p>
            <p className="tabular mt-[1.6cqw] text-[2.4cqw] leading-tight text-ink-soft">
              <Trans>24 files · 1.2 GB</Trans>
            </p>
            <div className="mt-[3.5cqw] divide-y divide-line border-t border-line-firm text-[2.2cqw] leading-tight">
              {['Lighthouse.jpg', 'Harbour at dawn.jpg', 'The long way home.mp4'].map((name) => (
                <p key={name} className="py-[1.5cqw]">
                  {name}
                </p>
              ))}
            </div>
          </div>
          <div className="flex w-[27cqw] shrink-0 flex-col items-center gap-[3.5cqw]">
            <span className="grid size-[15cqw] place-items-center rounded-full bg-accent text-on-accent">
              <ArrowDown strokeWidth={1.5} className="size-[5.5cqw]" />
            </span>
            <div className="w-full rounded-[1.4cqw] border border-line bg-surface p-[2.2cqw] text-[2cqw] leading-snug">
              <p className="font-heading text-[2.4cqw]">
                <Trans>Transfer Information</Trans>
              </p>
              <p className="mt-[1cqw] text-ink-soft">
                <Trans>Total Downloads: 3</Trans>
              </p>
            </div>
          </div>
        </div>
      </div>
    </div>
  );
}
