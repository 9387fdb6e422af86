import { LegalArticle } from './legal-article.tsx';
import { TERMS } from './terms.tsx';

export function TermsPage() {
  return (
    <LegalArticle
      title="Terms of Service"
      summary="Send what is yours to send, do no harm with it, and it arrives. These are the rules between you and whoever operates this installation of Sendwell, in plain words."
      sections={TERMS}
    />
  );
}
