import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useMutation } from '@tanstack/react-query';
import { Gauge } from 'lucide-react';
import { useState } from 'react';
import { errorDetail } from '../../../../client/api-error.ts';
import { Button } from '../../../components/actions/button.tsx';
import { ProgressBar } from '../../../components/feedback/progress-bar.tsx';
import { VisuallyHidden } from '../../../components/layout/visually-hidden.tsx';
import { AdminSection } from '../admin-page.tsx';
import { CheckList } from './checks-section.tsx';
import { judgeAddress, judgeUploads } from './proxy-findings.ts';
import { measureProxy } from './proxy-measurement.ts';

export function ProxySection() {
  const [share, setShare] = useState(0);
  const { data, error, isPending, mutate } = useMutation({
    mutationFn: () => measureProxy({ onProgress: setShare }),
    onMutate: () => setShare(0),
  });
  return (
    <AdminSection
      id="proxy"
      title={t`Reverse proxy`}
      description={t`Sends up to 64 MB from this browser to the server, which discards them, and compares what arrives.`}
      aside={
        <Button
          variant="secondary"
          size="sm"
          icon={<Gauge aria-hidden="true" />}
          isBusy={isPending}
          busyLabel={t`Measuring...`}
          onClick={() => mutate()}
        >
          {data ? t`Measure again` : t`Measure`}
        </Button>
      }
    >
      {isPending && <ProgressBar label={t`Measuring the proxy`} value={share} />}
      {!isPending && error && (
        <p role="alert" className="text-danger-ink">
          <Trans>The measurement did not finish. {errorDetail(error)}</Trans>
        </p>
      )}
      {!isPending && data && (
        <>
          <CheckList
            label={t`Reverse proxy`}
            checks={[...judgeAddress(data.seen, data.browser), ...judgeUploads(data.uploads)]}
          />
          <VisuallyHidden isAnnounced>
            <Trans>The proxy was measured</Trans>
          </VisuallyHidden>
        </>
      )}
    </AdminSection>
  );
}
