import { useCallback, useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import { getCurrentUser } from '../../../contracts/accounts.ts';
import type { TransferSettingsInput } from '../../../contracts/uploads.ts';
import { call } from '../../api/call.ts';
import type { EngineState } from './engine-state.ts';
import { removeRecord, saveRecord } from './resume-records.ts';
import { holdTransfer } from './transfer-hold.ts';
import { UploadEngine } from './upload-engine.ts';
import { fingerprint, type UploadItem } from './upload-item.ts';
import { createBrowserTransport } from './upload-transport.ts';
import { useWakeLock } from './wake-lock.ts';

/** One for all visits of the page: it keeps the worker that reads files. */
export const transport = createBrowserTransport();

export type Upload = {
  engine: UploadEngine;
  state: EngineState;
  /** Announced, moving or paused: leaving now interrupts it. */
  isActive: boolean;
  /** Runs until the end: resolves with how it stands then ('idle' when it was given up). */
  start(settings: TransferSettingsInput, roots: FileSystemHandle[]): Promise<EngineState>;
  cancel(): Promise<void>;
  remove(items: UploadItem[]): void;
};

type Memory = { settings: TransferSettingsInput; roots: FileSystemHandle[] };

/**
 * An upload engine that lives as long as the page, with all it needs of the browser around it. With `joins` the
 * files are added to that ready transfer.
 */
export function useUpload(userId: string, joins: string | undefined): Upload {
  const [engine] = useState(() => new UploadEngine(transport, { joins }));
  const state = useSyncExternalStore(engine.subscribe, () => engine.state);
  const memory = useRef<Memory>({ settings: {}, roots: [] });
  const { isActive } = engine;

  useEffect(() => () => engine.reset(), [engine]);
  useWakeLock(isActive);
  useHold(isActive ? state.transferId : undefined);
  useWakeUps(engine, userId);
  useResumeRecord(state, isActive, memory.current);

  const start = useCallback(
    async (settings: TransferSettingsInput, roots: FileSystemHandle[]) => {
      memory.current = { settings, roots };
      await engine.start(settings);
      const { state: end } = engine;
      if (end.phase === 'success' && end.transferId) await removeRecord(end.transferId);
      return end;
    },
    [engine],
  );
  return useMemo(() => {
    const forget = (transferId: string | undefined) => transferId && void removeRecord(transferId);
    const cancel = () => {
      forget(engine.state.transferId);
      return engine.cancel();
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
function useWakeUps(engine: UploadEngine, userId: string): void {
  useEffect(() => {
    const wake = () => engine.wake();
    const look = async () => {
      if (document.visibilityState !== 'visible') return;
      engine.wake();
      if (engine.state.trouble?.kind !== 'sign-in') return;
      const user = await call(getCurrentUser).catch(() => undefined);
      if (user?.id === userId && engine.state.trouble?.kind === 'sign-in') engine.resume();
    };
    window.addEventListener('online', wake);
    document.addEventListener('visibilitychange', look);
    return () => {
      window.removeEventListener('online', wake);
      document.removeEventListener('visibilitychange', look);
    };
  }, [engine, userId]);
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
    const modified = items.map((item) => [fingerprint(item), item.file.lastModified]);
    void saveRecord({
      transferId,
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
