import { useCallback, useRef, useState } from 'react';
import type { UnfinishedUpload } from '../../contracts/transfers/uploads.ts';
import type { Pick } from './picked-files.ts';
import { modifiedAt } from './resume-records.ts';
import { findContinuation, selectForContinuation, type UnfinishedTransfer } from './unfinished-transfers.ts';
import { choiceKey, createItem, fingerprint, type UploadItem } from './upload-item.ts';
import type { Upload } from './use-upload.ts';

/** A transfer of an earlier visit that the chosen files continue, and its files that were not chosen yet. */
export type Resuming = { transfer: UnfinishedTransfer; missing: UnfinishedUpload[] };

/** What is over a limit, in the words of specification section 5. */
export type LimitBreach = { title: string; description: string };

/** What would be sent. */
export type Load = {
  items: readonly UploadItem[];
  /** Bytes of all of them. */
  totalBytes: number;
  /** Bytes of those that are not reserved on the server yet. */
  newBytes: number;
};

/** What became of chosen files. */
export type Intake =
  | { kind: 'busy' | 'empty' | 'strangers' }
  | { kind: 'breach'; breach: LimitBreach }
  /** `resumed`: with these files a transfer goes on; set only when it was not going on before. */
  | { kind: 'taken'; resumed: UnfinishedTransfer | undefined; missing: UnfinishedUpload[] };

type IntakeInput = {
  upload: Upload;
  transfers: UnfinishedTransfer[];
  /** The first limit that these files exceed. The server decides; this spares people the attempt. */
  findBreach(load: Load): LimitBreach | undefined;
};

export type FileIntake = {
  resuming: Resuming | undefined;
  /** Adds files to the list; with a target they must belong to that unfinished transfer. */
  take(pick: Pick, target?: UnfinishedTransfer): Intake;
  /** Takes up a transfer of which everything has arrived: its files are not needed again. */
  takeArrived(transfer: UnfinishedTransfer): void;
  /** Goes on without the files that were not chosen again; the server forgets them. */
  dropMissing(): void;
  /** The chosen files become a transfer of their own. */
  startAnew(): void;
  /** The list is empty again. */
  clear(): void;
  /** What the browser can open again after a reload. */
  roots(): FileSystemHandle[];
};

/** Takes chosen files in: known files once, within the limits, and as continuation of what they continue. */
export function useFileIntake({ upload: { engine }, transfers, findBreach }: IntakeInput): FileIntake {
  const [resuming, setResuming] = useState<Resuming>();
  const roots = useRef<FileSystemHandle[]>([]);

  const take = (pick: Pick, target?: UnfinishedTransfer): Intake => {
    if (engine.isActive) return { kind: 'busy' };
    if (pick.files.length === 0) return { kind: 'empty' };
    const isFirst = engine.state.items.length === 0;
    const newcomer = target ?? (isFirst ? findContinuation(pick.files, transfers) : undefined);
    const transfer = resuming?.transfer ?? newcomer;
    const files = transfer ? selectForContinuation(pick.files, transfer, { mayAdd: !target }) : pick.files;
    if (files.length === 0) return { kind: 'strangers' };
    const unfinished = resuming?.missing ?? transfer?.uploads ?? [];

    const items = withoutKnown(engine.state.items, files.map(createItem));
    const breach = findBreach(measure([...engine.state.items, ...items], unfinished));
    if (breach) return { kind: 'breach', breach };
    engine.add(items);
    roots.current = [...roots.current, ...pick.roots];
    if (!transfer) return { kind: 'taken', resumed: undefined, missing: [] };

    const missing = engine.adopt(unfinished, {
      completedFiles: transfer.record?.completedFiles,
      isUnchanged: (item) => isUnchanged(item, transfer),
    });
    setResuming({ transfer, missing });
    return { kind: 'taken', resumed: resuming ? undefined : transfer, missing };
  };

  const takeArrived = (transfer: UnfinishedTransfer) => {
    const missing = engine.adopt(transfer.uploads, { completedFiles: transfer.record?.completedFiles });
    setResuming({ transfer, missing });
  };

  const dropMissing = () => {
    if (!resuming) return;
    engine.abandon(resuming.missing);
    setResuming({ ...resuming, missing: [] });
  };

  const startAnew = () => {
    const files = engine.state.items.flatMap(({ file, relativePath }) =>
      file ? createItem({ file, relativePath }) : [],
    );
    engine.reset();
    engine.add(files);
    setResuming(undefined);
  };

  const clear = useCallback(() => {
    roots.current = [];
    setResuming(undefined);
  }, []);

  return { resuming, take, takeArrived, dropMissing, startAnew, clear, roots: () => roots.current };
}

function withoutKnown(known: readonly UploadItem[], items: UploadItem[]): UploadItem[] {
  const keys = new Set(known.map(choiceKey));
  const arrived = new Set(known.filter(({ file }) => !file).map(fingerprint));
  return items.filter((item) => !keys.has(choiceKey(item)) && !arrived.has(fingerprint(item)));
}

/** What continues an unfinished upload was reserved when that was announced. */
function measure(items: UploadItem[], unfinished: UnfinishedUpload[]): Load {
  const reserved = new Set(
    unfinished.map(({ relativePath, fileSize }) => fingerprint({ relativePath, size: fileSize })),
  );
  const isNew = (item: UploadItem) => !item.uploadId && !reserved.has(fingerprint(item));
  return { items, totalBytes: sumSizes(items), newBytes: sumSizes(items.filter(isNew)) };
}

function sumSizes(items: UploadItem[]): number {
  return items.reduce((sum, { size }) => sum + size, 0);
}

/** Without a record there is nothing to compare with: place and length must do. */
function isUnchanged(item: UploadItem, { record }: UnfinishedTransfer): boolean {
  const modified = record && modifiedAt(record, fingerprint(item));
  return modified === undefined || modified === item.file?.lastModified;
}
