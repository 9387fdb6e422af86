import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { FilePlus2, TriangleAlert, Upload, X } from 'lucide-react';
import { useEffect, useRef, useSyncExternalStore } from 'react';
import type { TransferDetail, TransferFile } from '../../../../contracts/transfers/transfers.ts';
import { addFilesPage } from '../../../../contracts/values/addresses/pages.ts';
import { formatCount } from '../../../../contracts/values/format.ts';
import { formatSize } from '../../../../contracts/values/sizes.ts';
import { Button } from '../../../components/actions/button.tsx';
import { IconButton } from '../../../components/actions/icon-button.tsx';
import { LinkButton } from '../../../components/actions/link-button.tsx';
import { FileRow } from '../../../components/data/file-tree.tsx';
import { ProgressRing } from '../../../components/feedback/progress-ring.tsx';
import { Spinner } from '../../../components/feedback/spinner.tsx';
import { toast } from '../../../components/feedback/toast.ts';
import type { EngineState } from '../../../uploading/engine/engine-state.ts';
import { UploadEngine } from '../../../uploading/engine/upload-engine.ts';
import { createItem } from '../../../uploading/engine/upload-item.ts';
import { createRepairTransport } from '../../../uploading/engine/upload-transport.ts';
import { refreshTransfer } from '../transfer-queries.ts';

const CHECK_INTERVAL_MS = 1_500;
const MAX_CHECKS = 40;

type DamageNoteProps = { transfer: Pick<TransferDetail, 'id' | 'encryption'>; files: TransferFile[] };

/** Tells the sender what to do about damaged files. */
export function DamageNote({ transfer: { id, encryption }, files }: DamageNoteProps) {
  const count = files.filter(({ isDamaged }) => isDamaged).length;
  if (count === 0) return null;
  return (
    <div
      role="status"
      className="mb-5 flex max-w-[44rem] gap-3 rounded-lg bg-danger-wash px-4 py-3 text-danger-ink"
    >
      <TriangleAlert aria-hidden="true" className="mt-0.5 size-5 shrink-0" />
      {encryption ? (
        <div>
          <p>
            {plural(count, {
              one: '# file is damaged on the server and cannot be downloaded. An encrypted file cannot be repaired, so add the original to the transfer again. The link stays the same.',
              other:
                '# files are damaged on the server and cannot be downloaded. Encrypted files cannot be repaired, so add the originals to the transfer again. The link stays the same.',
            })}
          </p>
          <LinkButton
            to={addFilesPage(id)}
            variant="secondary"
            size="sm"
            icon={<FilePlus2 />}
            className="mt-3"
          >
            <Trans>Add files</Trans>
          </LinkButton>
        </div>
      ) : (
        <p>
          {plural(count, {
            one: '# file is damaged on the server and cannot be downloaded. Send the original again to repair it. The link stays the same.',
            other:
              '# files are damaged on the server and cannot be downloaded. Send the originals again to repair them. The link stays the same.',
          })}
        </p>
      )}
    </div>
  );
}

type DamagedEncryptedFileProps = { name: string; file: TransferFile };

/** It cannot be repaired, because sealing a file again gives other bytes. */
export function DamagedEncryptedFile({ name, file }: DamagedEncryptedFileProps) {
  return <FileRow name={name} mimeType={file.mimeType} details={<Damaged file={file} />} />;
}

type DamagedFileProps = { transferId: string; name: string; file: TransferFile };

/** The row of a damaged file, with a button to send it again. */
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
            aria-label={t`Original of ${name}`}
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
              aria-label={t`Send again: ${name}`}
              onClick={() => field.current?.click()}
            >
              <Trans>Send again</Trans>
            </Button>
          ) : (
            <Sending name={name} state={state} onCancel={() => void engine.cancel()} />
          )}
        </>
      }
    />
  );
}

/** The server checks the new bytes first. This row disappears when it has. */
function useWaitForCheck(transferId: string, engine: UploadEngine, isWaiting: boolean): void {
  useEffect(() => {
    if (!isWaiting) return;
    let checks = 0;
    const timer = setInterval(() => {
      checks += 1;
      if (checks > MAX_CHECKS) engine.reset();
      else void refreshTransfer(transferId);
    }, CHECK_INTERVAL_MS);
    return () => clearInterval(timer);
  }, [transferId, engine, isWaiting]);
}

function Details({ file, state }: { file: TransferFile; state: EngineState }) {
  if (state.phase === 'idle') return <Damaged file={file} />;
  if (state.phase === 'success') return t`Checking the file…`;
  if (state.trouble) return t`Couldn’t reach the server. Retrying…`;
  return t`Sending ${formatSize(state.sentBytes)} of ${formatSize(file.size)}`;
}

function Damaged({ file }: { file: TransferFile }) {
  return (
    <span className="text-danger-ink">
      <Trans>Damaged · {formatSize(file.size)}</Trans>
    </span>
  );
}

type SendingProps = { name: string; state: EngineState; onCancel: () => void };

function Sending({ name, state, onCancel }: SendingProps) {
  if (state.phase === 'success') return <Spinner className="size-5 text-ink-soft" />;
  const share = state.totalBytes === 0 ? null : state.sentBytes / state.totalBytes;
  return (
    <span className="flex items-center gap-2">
      <ProgressRing label={t`Sending ${name}`} value={share} diameter={28} />
      <IconButton label={t`Stop sending ${name}`} icon={<X />} size="sm" onClick={onCancel} />
    </span>
  );
}

/** Running repairs by file. They outlive their rows, which long lists unmount while scrolling. */
const engines = new Map<string, UploadEngine>();

function repairEngineOf(transferId: string, fileId: string): UploadEngine {
  const known = engines.get(fileId);
  if (known) return known;
  const engine = new UploadEngine(createRepairTransport({ transferId, fileId }), { joins: transferId });
  engines.set(fileId, engine);
  return engine;
}

/** Sends the selected file in place of the damaged one and reports the result. */
async function repairFile(transferId: string, file: TransferFile, selected: File): Promise<void> {
  if (selected.size !== file.size) {
    toast({
      title: t`This is not the original file`,
      description: t`“${selected.name}” has ${describeBytes(selected.size)}, the original ${describeBytes(file.size)}.`,
      variant: 'destructive',
    });
    return;
  }
  const engine = repairEngineOf(transferId, file.id);
  engine.reset();
  engine.add([createItem({ file: selected, relativePath: selected.name })]);
  await engine.submit(async () => ({}));
  const { phase, error, refusal } = engine.state;
  if (phase === 'failed') {
    engine.reset();
    toast({
      title: t`The file was not repaired`,
      description: refusal?.detail ?? error ?? '',
      variant: 'destructive',
    });
    return;
  }
  if (phase === 'success')
    toast({
      title: t`File received`,
      description: t`It is available again as soon as the server has checked it.`,
    });
}

/** Includes the exact bytes, because rounded sizes may look alike. */
function describeBytes(bytes: number): string {
  return t`${formatSize(bytes)} (${formatCount(bytes)} bytes)`;
}
