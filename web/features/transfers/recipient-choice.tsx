import { Checkbox } from '../../components/checkbox.tsx';

type RecipientChoiceProps = {
  emails: string[];
  chosen: ReadonlySet<string>;
  onChange: (chosen: ReadonlySet<string>) => void;
};

/** Some of the recipients, or all of them at once. */
export function RecipientChoice({ emails, chosen, onChange }: RecipientChoiceProps) {
  const toggle = (email: string) => {
    const next = new Set(chosen);
    if (!next.delete(email)) next.add(email);
    onChange(next);
  };
  const areAllChosen = emails.every((email) => chosen.has(email));
  return (
    <fieldset className="min-w-0">
      <legend className="mb-2 flex w-full items-baseline justify-between text-sm font-medium">
        Recipients
      </legend>
      <div className="max-h-64 overflow-y-auto rounded-md border border-edge">
        {emails.length > 1 && (
          <Checkbox
            label={`All ${emails.length} recipients`}
            checked={areAllChosen}
            onChange={() => onChange(new Set(areAllChosen ? [] : emails))}
            className="sticky top-0 z-10 border-b border-line bg-raised px-4 py-2.5"
          />
        )}
        <ul className="flex flex-col gap-0.5 py-1.5">
          {emails.map((email) => (
            <li key={email}>
              <Checkbox
                label={<span className="wrap-anywhere">{email}</span>}
                checked={chosen.has(email)}
                onChange={() => toggle(email)}
                className="px-4 py-1"
              />
            </li>
          ))}
        </ul>
      </div>
    </fieldset>
  );
}
