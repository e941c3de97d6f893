import { useState, type ReactNode } from 'react';
import { Button } from '../controls/button.tsx';
import { ChoiceField, type Choice } from './field.tsx';
import { Form } from './form.tsx';

/** The texts of a search by field, as in the address; empty: not searched. */
export type Filter<Name extends string> = Readonly<Record<Name, string>>;

export function readFilter<Name extends string>(names: readonly Name[], search: URLSearchParams): Filter<Name> {
  return Object.fromEntries(names.map((name) => [name, search.get(name) ?? ''])) as Filter<Name>;
}

/** Filter fields for the address. */
export function writeFilter(filter: Filter<string>): [string, string][] {
  return Object.entries(filter).filter(([, value]) => value !== '');
}

/** Query of a list; the fields `from` and `to` are local times. Others than times are refused by the service. */
export function toListQuery(filter: Filter<string>): Record<string, string> {
  const isTime = (name: string, value: string): boolean =>
    (name === 'from' || name === 'to') && !Number.isNaN(Date.parse(value));
  return Object.fromEntries(
    writeFilter(filter).map(([name, value]) => [name, isTime(name, value) ? new Date(value).toISOString() : value]),
  );
}

interface Bound {
  readonly value: string;
  readonly onChange: (value: string) => void;
}

interface SearchFormProps<Name extends string> {
  readonly filter: Filter<Name>;
  readonly onSearch: (filter: [string, string][]) => void;
  readonly children: (bind: (name: Name) => Bound) => ReactNode;
}

/** Searches when it is submitted or cleared; follows the filter when that changes elsewhere. */
export function SearchForm<Name extends string>({ filter, onSearch, children }: SearchFormProps<Name>) {
  const [draft, setDraft] = useState<Filter<string>>(filter);
  const applied = JSON.stringify(filter);
  const [seen, setSeen] = useState(applied);
  if (seen !== applied) {
    setSeen(applied);
    setDraft(filter);
  }
  const clear = (): void => {
    setDraft(Object.fromEntries(Object.keys(filter).map((name) => [name, ''])));
    onSearch([]);
  };
  return (
    <search>
      <Form
        className="card filters"
        onSubmit={() => onSearch(writeFilter(draft))}
        actions={
          <div className="row">
            <button className="button primary">Search</button>
            <Button look="quiet" label="Clear" onClick={clear} />
          </div>
        }
      >
        {children((name) => ({
          value: draft[name] ?? '',
          onChange: (value) => setDraft({ ...draft, [name]: value.trim() }),
        }))}
      </Form>
    </search>
  );
}

interface SearchChoiceProps extends Bound {
  readonly label: string;
  readonly choices: readonly (string | Choice<string>)[];
}

/** One of some values, or any. */
export function SearchChoice({ choices, ...field }: SearchChoiceProps) {
  return <ChoiceField {...field} choices={[{ value: '', label: 'any' }, ...choices]} />;
}
