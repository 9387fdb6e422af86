import { t } from '@lingui/core/macro';
import {
  type EncryptionPolicy,
  TIERS,
  TierConfig,
  type TierName,
} from '../../../../contracts/plans/tiers.ts';
import { parseSize, toSizeText } from '../../../../contracts/values/sizes.ts';
import { toNumber } from '../form-values.ts';

type Limits = {
  storagePerTransfer: string;
  monthlyTotal: string;
  retentionDays: string;
  encryption: EncryptionPolicy;
  price: string;
};

/** Limits as typed text. The free plan has no price. */
export type TierForm = Record<TierName, Limits>;
export type TierField = `${TierName}.${keyof Limits}`;

export const PLACEHOLDERS: Record<TierName, Omit<Limits, 'encryption' | 'price'>> = {
  free: { storagePerTransfer: '5GB', monthlyTotal: '10GB', retentionDays: '3' },
  pro: { storagePerTransfer: '10GB', monthlyTotal: '100GB', retentionDays: '30' },
  premium: { storagePerTransfer: '50GB', monthlyTotal: '500GB', retentionDays: '90' },
};

export function toTierForm(config: TierConfig): TierForm {
  const write = (tier: TierName): Limits => {
    const { storagePerTransfer, monthlyTotal, retentionDays, encryption } = config[tier];
    return {
      storagePerTransfer: toSizeText(storagePerTransfer),
      monthlyTotal: toSizeText(monthlyTotal),
      retentionDays: String(retentionDays),
      encryption,
      price: tier === 'free' ? '' : String(config[tier].price),
    };
  };
  return { free: write('free'), pro: write('pro'), premium: write('premium') };
}

type Read = { config: TierConfig } | { wrong: { field: TierField; message: string; isSize: boolean } };

export function readTierForm(form: TierForm): Read {
  const config: Record<string, unknown> = {};
  for (const tier of TIERS) {
    const { storagePerTransfer, monthlyTotal, retentionDays, encryption, price } = form[tier];
    const sizes: Record<string, number> = {};
    for (const [name, text] of Object.entries({ storagePerTransfer, monthlyTotal })) {
      try {
        sizes[name] = parseSize(text);
      } catch (error) {
        const field = `${tier}.${name}` as TierField;
        return { wrong: { field, message: (error as Error).message, isSize: true } };
      }
    }
    config[tier] = {
      ...sizes,
      retentionDays: toNumber(retentionDays),
      encryption,
      ...(tier !== 'free' && { price: toNumber(price) }),
    };
  }
  const { data, error } = TierConfig.safeParse(config);
  if (data) return { config: data };
  const field = (error.issues[0]?.path.join('.') ?? 'free.retentionDays') as TierField;
  return { wrong: { field, message: adviceFor(field), isSize: false } };
}

export function checkTierForm(form: TierForm): Partial<Record<TierField, string>> {
  const read = readTierForm(form);
  return 'wrong' in read ? { [read.wrong.field]: read.wrong.message } : {};
}

function adviceFor(field: TierField): string {
  if (field.endsWith('retentionDays')) return t`Please enter 1 to 90 days`;
  if (field.endsWith('price')) return t`Please enter a price in dollars`;
  return t`Please enter more than 0 bytes`;
}
