import { TriangleAlert, Upload, X } from 'lucide-react';
import { useEffect, useRef, useSyncExternalStore } from 'react';
import type { TransferFile } from '../../../contracts/transfers/transfers.ts';
import { formatSize } from '../../../contracts/values/sizes.ts';
import { Button } from '../../components/button.tsx';
import { FileRow } from '../../components/file-tree.tsx';
import { IconButton } from '../../components/icon-button.tsx';
import { ProgressRing } from '../../components/progress-ring.tsx';
import { Spinner } from '../../components/spinner.tsx';
import type { EngineState } from '../../uploading/engine-state.ts';
import type { UploadEngine } from '../../uploading/upload-engine.ts';
import { repairEngineOf, repairFile } from './repairs.ts';
import { refreshTransfer } from './transfer-queries.ts';
import { countOf } from './wording.ts';

const ASK_EVERY_MS = 1_500;
const ASK_TIMES = 40;

/** Says what damage means to the sender. */
export function DamageNote({ files }: { files: TransferFile[] }) {
  const count = files.filter(({ isDamaged }) => isDamaged).length;
  if (count === 0) return null;
  return (
    <p
      role="status"
      className="mb-5 flex max-w-[44rem] gap-3 rounded-lg bg-danger-wash px-4 py-3 text-danger-ink"
    >
      <TriangleAlert aria-hidden="true" className="mt-0.5 size-5 shrink-0" />
      <span>
        {count === 1 ? '1 file is' : `${countOf(count, 'file')} are`} damaged on the server and cannot be
        downloaded. Send the {count === 1 ? 'original' : 'originals'} again to repair{' '}
        {count === 1 ? 'it' : 'them'}; the link stays the same.
      </span>
    </p>
  );
}

type DamagedFileProps = { transferId: string; name: string; file: TransferFile };

/** The line of a damaged file, which can be sent again. */
export function DamagedFile({ transferId, name, file }: DamagedFileProps) {
  const engine = repairEngineOf(transferId, file.id);
  const state = useSyncExternalStore(engine.subscribe, () => engine.state);
  const field = useRef<HTMLInputElement>(null);
  useWaitForCheck(transferId, engine, state.phase === 'success');
  const isIdle = state.phase === 'idle';
  return (
    <FileRow
      name={name}
      mimeType={file.mimeType}
      details={<Details file={file} state={state} />}
      aside={
        <>
          <input
            ref={field}
            type="file"
            hidden
            aria-label={`Original of ${name}`}
            onChange={({ target }) => {
              const [selected] = target.files ?? [];
              if (selected) void repairFile(transferId, file, selected);
              target.value = '';
            }}
          />
          {isIdle ? (
            <Button
              variant="secondary"
              size="sm"
              icon={<Upload aria-hidden="true" />}
              aria-label={`Send ${name} again`}
              onClick={() => field.current?.click()}
            >
              Send again
            </Button>
          ) : (
            <Course name={name} state={state} onCancel={() => void engine.cancel()} />
          )}
        </>
      }
    />
  );
}

/** The server reads the new bytes before it offers the file again; this row goes as soon as it does. */
function useWaitForCheck(transferId: string, engine: UploadEngine, isWaiting: boolean): void {
  useEffect(() => {
    if (!isWaiting) return;
    let asked = 0;
    const timer = setInterval(() => {
      asked += 1;
      if (asked > ASK_TIMES) engine.reset();
      else void refreshTransfer(transferId);
    }, ASK_EVERY_MS);
    return () => clearInterval(timer);
  }, [transferId, engine, isWaiting]);
}

function Details({ file, state }: { file: TransferFile; state: EngineState }) {
  if (state.phase === 'idle')
    return <span className="text-danger-ink">Damaged · {formatSize(file.size)}</span>;
  if (state.phase === 'success') return 'Checking the file…';
  if (state.trouble) return 'Couldn’t reach the server. Retrying…';
  return `Sending ${formatSize(state.sentBytes)} of ${formatSize(file.size)}`;
}

type CourseProps = { name: string; state: EngineState; onCancel: () => void };

function Course({ name, state, onCancel }: CourseProps) {
  if (state.phase === 'success') return <Spinner className="size-5 text-ink-soft" />;
  const share = state.totalBytes === 0 ? null : state.sentBytes / state.totalBytes;
  return (
    <span className="flex items-center gap-2">
      <ProgressRing label={`Sending ${name}`} value={share} diameter={28} />
      <IconButton label={`Stop sending ${name}`} icon={<X />} size="sm" onClick={onCancel} />
    </span>
  );
}
