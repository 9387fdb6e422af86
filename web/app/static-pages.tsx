import '../lib/language/static-messages.ts';
import { t } from '@lingui/core/macro';
import type { ComponentType } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { Router } from 'wouter';
import { PAGES } from '../../contracts/values/addresses/pages.ts';
import { LandingPage } from '../features/landing/landing-page.tsx';
import { PrivacyPage } from '../features/legal/privacy/privacy-page.tsx';
import { TermsPage } from '../features/legal/terms-page.tsx';
import { SiteFooter, StaticDocument, StaticHeader } from '../features/shell/static-document.tsx';

type StaticPage = { title: string; description: string; Page: ComponentType };

const STATIC_PAGES: Record<string, StaticPage> = {
  [PAGES.landing]: {
    title: t`Sendwell · Share Files Simply`,
    description: t`Upload, share via email, and track downloads with automatic expiration.`,
    Page: LandingPage,
  },
  [PAGES.terms]: {
    title: t`Terms of Service · Sendwell`,
    description: t`The rules for using Sendwell, and how plans are billed and canceled.`,
    Page: TermsPage,
  },
  [PAGES.privacy]: {
    title: t`Privacy Policy · Sendwell`,
    description: t`What Sendwell stores about senders and recipients, why, for how long, and your rights.`,
    Page: PrivacyPage,
  },
};

/** Prerenders a page at build time, so that it works without the application (docs/decisions/0006). */
export function renderStaticPage(path: string): string {
  const { title, description, Page } = STATIC_PAGES[path]!;
  const markup = renderToStaticMarkup(
    <Router ssrPath={path}>
      <StaticDocument {...{ title, description }}>
        <StaticHeader />
        <Page />
        <SiteFooter />
      </StaticDocument>
    </Router>,
  );
  return `<!doctype html>${markup}`;
}
