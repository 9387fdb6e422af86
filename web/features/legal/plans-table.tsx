import { TIERS, tierLabel } from '../../../contracts/plans/tiers.ts';
import { TierNumber } from '../../components/feedback/tier-number.tsx';

/** The plans' numbers as they are configured, which supersede any other text (decisions, "Retention"). */
export function PlansTable() {
  return (
    <table className="tabular w-full text-left text-sm [&_td]:border-t [&_td]:border-line [&_td]:py-3 [&_td]:pr-3 [&_th]:py-3 [&_th]:pr-3 [&_th]:align-bottom">
      <caption className="sr-only">What the plans include</caption>
      <thead className="text-ink-soft [&_th]:font-normal">
        <tr>
          <th scope="col">Plan</th>
          <th scope="col">Per transfer</th>
          <th scope="col">Per month</th>
          <th scope="col">Retention</th>
        </tr>
      </thead>
      <tbody>
        {TIERS.map((tier) => (
          <tr key={tier}>
            <th scope="row" className="border-t border-line font-semibold text-ink">
              {tierLabel(tier)}
            </th>
            <td>
              <TierNumber name={`${tier}.storagePerTransfer`} />
            </td>
            <td>
              <TierNumber name={`${tier}.monthlyTotal`} />
            </td>
            <td>
              <TierNumber name={`${tier}.retentionDays`} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
