import { useCallback, useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import type { TransferSettingsInput, UnfinishedUpload } from '../../contracts/transfers/uploads.ts';
import type { EngineState } from './engine-state.ts';
import { removeRecord, saveRecord, type UploadScope } from './resume-records.ts';
import { holdTransfer } from './transfer-hold.ts';
import { UploadEngine } from './upload-engine.ts';
import { fingerprint, type UploadItem } from './upload-item.ts';
import type { UploadTransport } from './upload-transport.ts';
import { useWakeLock } from './wake-lock.ts';

export type Upload = {
  engine: UploadEngine;
  state: EngineState;
  /** Announced, moving or paused: leaving now interrupts it. */
  isActive: boolean;
  /** Runs until the end: resolves with how it stands then ('idle' when it was given up). */
  start(settings: TransferSettingsInput, roots: FileSystemHandle[]): Promise<EngineState>;
  /** `missing`: its files that were not chosen again. */
  cancel(missing: UnfinishedUpload[]): Promise<void>;
  remove(items: UploadItem[]): void;
};

type Memory = { scope: UploadScope; settings: TransferSettingsInput; roots: FileSystemHandle[] };

type UploadInput = {
  /** The same for as long as the page lives. */
  transport: UploadTransport;
  scope?: UploadScope;
  /** The ready transfer to which the files are added; without it they become one of their own. */
  joins?: string | undefined;
  /** Whether the server knows the person again, after it did not. */
  isKnownAgain(): Promise<boolean>;
};

/** An upload engine that lives as long as the page, with all it needs of the browser around it. */
export function useUpload({ transport, scope = '', joins, isKnownAgain }: UploadInput): Upload {
  const [engine] = useState(() => new UploadEngine(transport, { joins }));
  const state = useSyncExternalStore(engine.subscribe, () => engine.state);
  const memory = useRef<Memory>({ scope, settings: {}, roots: [] });
  const { isActive } = engine;

  useEffect(() => () => engine.reset(), [engine]);
  useWakeLock(isActive);
  useHold(isActive ? state.transferId : undefined);
  useWakeUps(engine, isKnownAgain);
  useResumeRecord(state, isActive, memory.current);

  const start = useCallback(
    async (settings: TransferSettingsInput, roots: FileSystemHandle[]) => {
      memory.current = { scope, settings, roots };
      await engine.start(settings);
      const { state: end } = engine;
      if (end.phase === 'success' && end.transferId) await removeRecord(end.transferId);
      return end;
    },
    [engine, scope],
  );
  return useMemo(() => {
    const forget = (transferId: string | undefined) => transferId && void removeRecord(transferId);
    const cancel = (missing: UnfinishedUpload[]) => {
      forget(engine.state.transferId);
      return engine.cancel(missing);
    };
    const remove = (items: UploadItem[]) => {
      const { transferId } = engine.state;
      engine.remove(items);
      if (engine.state.items.length === 0) forget(transferId);
    };
    return { engine, state, isActive, start, cancel, remove };
  }, [engine, state, isActive, start]);
}

function useHold(transferId: string | undefined): void {
  useEffect(() => (transferId ? holdTransfer(transferId) : undefined), [transferId]);
}

/** The network is back, or the person came back from signing in: goes on at once. */
function useWakeUps(engine: UploadEngine, isKnownAgain: () => Promise<boolean>): void {
  useEffect(() => {
    const wake = () => engine.wake();
    const look = async () => {
      if (document.visibilityState !== 'visible') return;
      engine.wake();
      if (engine.state.trouble?.kind !== 'sign-in') return;
      const isKnown = await isKnownAgain().catch(() => false);
      if (isKnown && engine.state.trouble?.kind === 'sign-in') engine.resume();
    };
    window.addEventListener('online', wake);
    document.addEventListener('visibilitychange', look);
    return () => {
      window.removeEventListener('online', wake);
      document.removeEventListener('visibilitychange', look);
    };
  }, [engine, isKnownAgain]);
}

/** Notes on this device what is needed to go on after a reload; anew whenever files come, go or are through. */
function useResumeRecord(
  { transferId, items, fileCount, completedFiles, phase }: EngineState,
  isActive: boolean,
  memory: Memory,
): void {
  useEffect(() => {
    if (!transferId || !isActive || phase === 'success') return;
    const { password, ...settings } = memory.settings;
    const modified = items.flatMap((item) =>
      item.file ? [[fingerprint(item), item.file.lastModified] as const] : [],
    );
    void saveRecord({
      transferId,
      scope: memory.scope,
      fileCount,
      completedFiles,
      settings,
      hadPassword: Boolean(password),
      roots: memory.roots,
      modified: Object.fromEntries(modified),
      savedAt: Date.now(),
    });
  }, [transferId, isActive, phase, items, fileCount, completedFiles, memory]);
}
