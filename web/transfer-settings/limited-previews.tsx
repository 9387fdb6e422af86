import { Trans } from '@lingui/react/macro';

/** A download limit hides previews that show whole files: video, audio, text, all pages of a PDF. */
export function LimitedPreviews({ className }: { className?: string }) {
  return (
    <p className={className}>
      <Trans>
        With a download limit, recipients can preview only pictures and the first page of PDFs, because
        previews don't count as downloads.
      </Trans>
    </p>
  );
}
