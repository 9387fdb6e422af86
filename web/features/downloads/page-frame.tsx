import type { ReactNode } from 'react';
import { GuestFrame } from '../../components/layout/guest-frame.tsx';
import { type Background, PageBackground } from './page-background.tsx';
import { ReportAbuse } from './report-abuse.tsx';

type PageFrameProps = {
  /** Of a transfer that is there: then abuse of it can be reported. */
  token?: string;
  /** The sender's picture, if there is one to show. */
  background: Background | undefined;
  /** What sticks to the window's bottom edge on small screens. */
  bar?: ReactNode;
  isLoading?: boolean;
  children: ReactNode;
};

/** What stays while the download page goes from one state to the next. */
export function PageFrame({ token, background, ...frame }: PageFrameProps) {
  return (
    <GuestFrame
      credit="Sent with Sendwell"
      footer={token && <ReportAbuse token={token} />}
      picture={background && <PageBackground {...background} />}
      {...frame}
    />
  );
}
