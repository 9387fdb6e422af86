import { KeyRound } from 'lucide-react';
import { Stage } from '../../components/stage.tsx';
import { Surface } from '../../components/surface.tsx';
import { StillWell } from '../../components/well.tsx';
import { usePageTitle } from '../../lib/page-title.ts';
import { InvitationFacts } from './invitation-facts.tsx';
import { InvitationHead } from './invitation-head.tsx';
import { Step } from './step.tsx';
import type { StepProps } from './visit.ts';
import { VisitorCodeForm } from './visitor-code-form.tsx';

/** Step 2: the code that was mailed. */
export function CodeStep({ token, details, visit, goTo, onRefused }: StepProps<'code'>) {
  usePageTitle(details.title);
  const { email } = visit;
  return (
    <Stage
      isWellForLarge
      isBodyFirst
      head={<InvitationHead details={details} isCompact />}
      well={
        <StillWell>
          <KeyRound aria-hidden="true" strokeWidth={1.25} />
        </StillWell>
      }
      facts={
        <Surface>
          <InvitationFacts details={details} />
        </Surface>
      }
      body={
        <Step number={2} title="Enter the code" isFirst={visit.isFirst}>
          <p className="mt-2 mb-6 max-w-[34rem] text-ink-soft">
            It has 6 digits and went to{' '}
            <strong className="font-medium wrap-anywhere text-ink">{email}</strong>.{' '}
            <button type="button" className="link" onClick={() => goTo({ step: 'email', email })}>
              Use another address
            </button>
          </p>
          <VisitorCodeForm
            token={token}
            email={email}
            welcome="You can now upload your files"
            onVerified={(proved) => goTo({ step: 'files', email: proved })}
            onRefused={onRefused}
          />
        </Step>
      }
    />
  );
}
