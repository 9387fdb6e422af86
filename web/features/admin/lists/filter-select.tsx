import { Select } from '../../../components/select.tsx';

type FilterSelectProps = {
  label: string;
  options: readonly { value: string; label: string }[];
  value: string;
  onChange: (value: string) => void;
};

/** A choice in a list's toolbar; its options say what it is about. */
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
