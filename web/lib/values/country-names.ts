import { t } from '@lingui/core/macro';
import { i18n } from '../language/messages.tsx';

const countryNames = new Intl.DisplayNames(i18n.locale, { type: 'region', fallback: 'code' });

/** The English name of an ISO 3166-1 alpha-2 code; `ZZ` means unknown. */
export function nameOfCountry(code: string): string {
  return code === 'ZZ' ? t`Unknown` : (countryNames.of(code) ?? code);
}
