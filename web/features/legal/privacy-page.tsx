import { LegalArticle } from './legal-article.tsx';
import { PRIVACY } from './privacy.tsx';

export function PrivacyPage() {
  return (
    <LegalArticle
      title="Privacy Policy"
      summary="We store what sending files needs, for as long as it needs it. No advertising networks, no trackers, no analytics by other companies. Here is everything, by name."
      sections={PRIVACY}
    />
  );
}
