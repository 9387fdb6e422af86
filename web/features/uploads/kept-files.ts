import { t } from '@lingui/core/macro';
import { useEffect } from 'react';
import { useTierConfig } from '../../api/tier-limits.ts';
import { toast } from '../../components/feedback/toast.ts';
import { type KeptChoice, keepFiles, takeKeptFiles } from '../../lib/browser/kept-files.ts';
import { canReopen, type FilePick, reopenFiles } from '../../uploading/files/picked-files.ts';
import { reportUnreadable } from '../../uploading/files/report-unreadable.ts';
import type { UploadStore } from '../../uploading/upload-store.ts';

/** Adds the files that were chosen before signing in; without a store it leaves them alone. */
export function useKeptFiles(store: UploadStore | undefined): void {
  // The default limits might refuse what the plan allows.
  const { isLoading } = useTierConfig();
  useEffect(() => {
    if (store && !isLoading) void addKeptFiles(store);
  }, [store, isLoading]);
}

async function addKeptFiles(store: UploadStore): Promise<void> {
  for (const choice of await takeKeptFiles()) {
    if (choice.files.length > 0) await addOrKeep(store, choice);
    else await reopenChoice(store, choice);
  }
}

/** Refused files are kept, so that they are there after an upgrade. */
async function addOrKeep(store: UploadStore, pick: FilePick): Promise<void> {
  const { length } = store.state.items;
  await store.addFiles(pick);
  if (store.state.items.length === length) await keepFiles(pick).catch(() => {});
}

/** A browser that was restarted in the meantime asks for permission, which takes a click. */
async function reopenChoice(store: UploadStore, { roots }: KeptChoice): Promise<void> {
  const open = async () => {
    const pick = await reopenFiles(roots);
    if (pick) await addOrKeep(store, pick);
    else reportUnreadable();
  };
  if (await canReopen(roots)) return open();
  toast({
    title: t`Your files are waiting`,
    description: t`The browser needs your permission to read them again.`,
    action: { label: t`Open files`, onClick: () => void open() },
  });
}
