import type { ReactNode } from 'react';

type StaticDocumentProps = { title: string; description: string; children: ReactNode };

/** The whole HTML of a prerendered page. The addresses in its head are sources; Vite puts the built ones there. */
export function StaticDocument({ title, description, children }: StaticDocumentProps) {
  return (
    <html lang="en" data-theme="dark">
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="dark light" />
        <meta name="theme-color" content="#0a0f0c" />
        <meta name="description" content={description} />
        <meta name="referrer" content="no-referrer" />
        <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
        <title>{title}</title>
        <script src="/theme.js" />
        <link rel="stylesheet" href="/styles/global.css" />
        <script type="module" src="/static-script.ts" />
      </head>
      <body>
        <a
          href="#main"
          className="sr-only rounded-full bg-accent px-5 py-2.5 font-medium text-on-accent focus:not-sr-only focus:fixed focus:top-3 focus:left-3 focus:z-60"
        >
          Skip to content
        </a>
        {children}
      </body>
    </html>
  );
}
