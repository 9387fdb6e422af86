import { Button } from '../components/button.tsx';
import { countFiles } from './upload-words.ts';
import type { Resuming } from './use-file-intake.ts';

const NAMED_FILES = 3;

type ResumeNoticeProps = {
  resuming: Resuming;
  /** What sending everything again is called. */
  anewLabel: string;
  /** Nothing is left to be sent. */
  hasArrived: boolean;
  onDropMissing: () => void;
  /** undefined: some of the files are on the server only. */
  onStartAnew: (() => void) | undefined;
};

/** Says that the chosen files continue an earlier upload, and which of its files are still to be chosen. */
export function ResumeNotice({
  resuming: { transfer, missing },
  anewLabel,
  hasArrived,
  onDropMissing,
  onStartAnew,
}: ResumeNoticeProps) {
  return (
    <div
      role="status"
      data-testid="resume-notice"
      className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3 rounded-lg border border-line-firm px-5 py-4"
    >
      <div className="min-w-56 grow basis-0">
        <p className="font-medium">Continuing “{transfer.title}”</p>
        <p className="text-sm text-ink-soft">
          {missing.length === 0
            ? hasArrived
              ? 'Everything has arrived. It only has to be finished.'
              : 'Only what has not arrived yet is sent.'
            : `${countFiles(missing.length)} of it still to be chosen: ${nameSome(missing.map(({ fileName }) => fileName))}`}
        </p>
        {transfer.record?.hadPassword && (
          <p className="text-sm text-ink-soft">Its password was not kept: please enter it again.</p>
        )}
      </div>
      <div className="flex flex-wrap gap-2">
        {missing.length > 0 && (
          <Button variant="secondary" size="sm" onClick={onDropMissing}>
            Go on without {missing.length === 1 ? 'it' : 'them'}
          </Button>
        )}
        {onStartAnew && (
          <Button variant="ghost" size="sm" onClick={onStartAnew}>
            {anewLabel}
          </Button>
        )}
      </div>
    </div>
  );
}

function nameSome(names: string[]): string {
  const more = names.length - NAMED_FILES;
  return names.slice(0, NAMED_FILES).join(', ') + (more > 0 ? ` and ${more.toLocaleString('en')} more` : '');
}
