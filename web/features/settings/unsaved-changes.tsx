import { t } from '@lingui/core/macro';
import { createContext, type ReactNode, useCallback, useContext, useEffect, useState } from 'react';
import { LeaveGuard } from '../../components/layout/leave-guard.tsx';

type Report = (form: string, isUnsaved: boolean) => void;

const UnsavedChanges = createContext<Report>(() => {});

/** Asks for confirmation before leaving the page with unsaved changes in one of its forms. */
export function UnsavedChangesGuard({ children }: { children: ReactNode }) {
  const [unsaved, setUnsaved] = useState<ReadonlySet<string>>(new Set());
  const report = useCallback<Report>((form, isUnsaved) => {
    setUnsaved((before) => {
      const after = new Set(before);
      if (isUnsaved) after.add(form);
      else after.delete(form);
      return after;
    });
  }, []);
  return (
    <UnsavedChanges value={report}>
      {children}
      <LeaveGuard
        isActive={unsaved.size > 0}
        title={t`Leave without saving?`}
        description={t`What you typed on this page has not been saved.`}
        confirmLabel={t`Leave page`}
      />
    </UnsavedChanges>
  );
}

/** Reports to the guard whether this form has unsaved changes. */
export function useUnsavedChanges(form: string, isUnsaved: boolean): void {
  const report = useContext(UnsavedChanges);
  useEffect(() => {
    report(form, isUnsaved);
    return () => report(form, false);
  }, [report, form, isUnsaved]);
}
