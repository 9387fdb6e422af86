import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { ArrowLeft } from 'lucide-react';
import { Fragment, type ReactNode } from 'react';
import { PAGES } from '../../../contracts/values/addresses/pages.ts';
import { LinkButton } from '../../components/actions/link-button.tsx';

/** `id` is the section's fragment. Don't change it: existing links use it. */
export type LegalSection = { id: string; title: string; content: ReactNode };

export type Definition = [term: ReactNode, text: ReactNode];

type LegalArticleProps = { title: string; summary: ReactNode; sections: LegalSection[] };

export function LegalArticle({ title, summary, sections }: LegalArticleProps) {
  return (
    <main id="main" tabIndex={-1} className="frame pt-8 pb-chapter outline-none sm:pt-12">
      <header className="max-w-[50rem] pb-rhythm">
        <h1 className="text-display">{title}</h1>
        <p className="mt-6 max-w-[40rem] text-lg text-ink-soft">{summary}</p>
        <p className="mt-4 text-sm text-ink-soft">
          <Trans>
            Last updated <time dateTime="2025-10-23">October 23, 2025</time>
          </Trans>
        </p>
      </header>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-x-20 gap-y-12 border-t border-line-firm pt-rhythm lg:grid-cols-[15rem_minmax(0,1fr)] print:block">
        <Contents sections={sections} />
        <div className="max-w-[40rem]">
          {sections.map(({ id, title: heading, content }, index) => (
            <section key={id} aria-labelledby={id} className="not-first:mt-12 print:break-inside-avoid-page">
              <h2 id={id} className="scroll-mt-8 text-2xl">
                <span className="tabular mr-3 text-ink-faint">{index + 1}</span>
                {heading}
              </h2>
              <div className="mt-4 flex flex-col gap-4 leading-[1.65] text-ink-soft [&_strong]:font-semibold [&_strong]:text-ink [&_ul]:list-disc [&_ul]:space-y-2 [&_ul]:pl-5 [&_ul]:marker:text-ink-faint">
                {content}
              </div>
            </section>
          ))}
        </div>
      </div>
    </main>
  );
}

/** Sticky on wide windows. */
function Contents({ sections }: { sections: LegalSection[] }) {
  return (
    <div className="self-start lg:sticky lg:top-8 print:hidden">
      <nav aria-label={t`On this page`}>
        <ol className="text-sm text-ink-soft max-lg:columns-2 max-lg:gap-x-8">
          {sections.map(({ id, title }) => (
            <li key={id} className="break-inside-avoid">
              <a href={`#${id}`} className="-ml-2 block rounded-xs px-2 py-1.5 hover:bg-hover hover:text-ink">
                {title}
              </a>
            </li>
          ))}
        </ol>
      </nav>
      <LinkButton
        to={PAGES.landing}
        variant="secondary"
        size="sm"
        className="mt-8"
        icon={<ArrowLeft aria-hidden="true" />}
      >
        <Trans>Back to Home</Trans>
      </LinkButton>
    </div>
  );
}

export function Definitions({ rows }: { rows: Definition[] }) {
  return (
    <dl className="grid border-b border-line sm:grid-cols-[13rem_minmax(0,1fr)]">
      {rows.map(([term, text], index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows never change.
        <Fragment key={index}>
          <dt className="border-t border-line pt-3 font-medium wrap-anywhere text-ink sm:pr-6 sm:pb-3">
            {term}
          </dt>
          <dd className="pb-3 sm:border-t sm:border-line sm:pt-3">{text}</dd>
        </Fragment>
      ))}
    </dl>
  );
}
