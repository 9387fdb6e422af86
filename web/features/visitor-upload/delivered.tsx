import { Check } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { formatSize } from '../../../contracts/values/sizes.ts';
import { Ripples } from '../../components/ripples.tsx';
import { Surface } from '../../components/surface.tsx';
import { countFiles } from '../../uploading/upload-words.ts';
import type { Delivery } from './visit.ts';

type DeliveredProps = { delivery: Delivery; senderName: string };

/** What has arrived, in peace: the toast is gone after five seconds. */
export function Delivered({ delivery: { fileCount, totalBytes, email }, senderName }: DeliveredProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  return (
    <Surface
      as="section"
      aria-labelledby="delivered"
      padding="lg"
      className="relative isolate mb-12 overflow-hidden"
      data-testid="delivered"
    >
      <Ripples
        motion="arrive"
        tone="accent"
        count={7}
        className="absolute top-1/2 right-0 -z-10 size-[34rem] translate-x-1/2 -translate-y-1/2 opacity-40"
      />
      <span className="grid size-12 place-items-center rounded-full bg-accent text-on-accent">
        <Check aria-hidden="true" strokeWidth={2.5} className="size-6" />
      </span>
      <h2 id="delivered" ref={heading} tabIndex={-1} className="mt-5 text-2xl outline-none">
        Delivered to {senderName}
      </h2>
      <p className="tabular mt-2 text-lg">
        {countFiles(fileCount)}, {formatSize(totalBytes)}
      </p>
      <p className="mt-3 max-w-[34rem] text-ink-soft">
        A receipt with the checksums follows by mail to{' '}
        <span className="wrap-anywhere text-ink">{email}</span>. You may close this page, or send something
        more.
      </p>
    </Surface>
  );
}
