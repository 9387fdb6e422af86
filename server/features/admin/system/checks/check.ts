import type { SystemCheck } from '../../../../../contracts/admin/system.ts';
import { isAppError } from '../../../../platform/lib/app-error.ts';

export type Finding = { state: SystemCheck['state']; found: string; fix?: string };

export type Check = {
  name: string;
  title: string;
  /** Throws if the checked part doesn't work; `fixOf` then says what to do. */
  run(): Promise<Finding>;
  fixOf(error: unknown): string;
};

const REASON_MAX = 300;

/** A timeout counts as a failure. */
export async function runCheck(check: Check, timeoutMs: number): Promise<SystemCheck> {
  const { name, title } = check;
  try {
    const { state, found, fix = null } = await within(timeoutMs, check.run());
    return { name, title, state, found, fix };
  } catch (error) {
    return { name, title, state: 'failed', found: reasonOf(error), fix: check.fixOf(error) };
  }
}

async function within<T>(timeoutMs: number, work: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const seconds = Math.round(timeoutMs / 1000);
  const timer = setTimeout(() => reject(new Error(`No answer within ${seconds} seconds.`)), timeoutMs);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** One line. For an AppError it describes the cause, which says more. */
export function reasonOf(error: unknown): string {
  if (isAppError(error) && error.cause instanceof Error) return reasonOf(error.cause);
  const text = error instanceof Error ? error.message || error.name : String(error);
  return text.replace(/\s+/g, ' ').trim().slice(0, REASON_MAX);
}
