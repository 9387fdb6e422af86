import { Select } from '../../../components/form/select.tsx';

type FilterSelectProps = {
  label: string;
  options: readonly { value: string; label: string }[];
  value: string;
  onChange: (value: string) => void;
};

/** The label is visually hidden because the options explain the filter. */
export function FilterSelect({ onChange, ...select }: FilterSelectProps) {
  return (
    <Select
      {...select}
      isLabelHidden
      className="max-sm:min-w-[8rem] max-sm:grow"
      onChange={({ target }) => onChange(target.value)}
    />
  );
}
