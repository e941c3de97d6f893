import { ERROR_CODES } from '@winnow/contract/errors';
import { DOUBT_CODES } from '@winnow/contract/warning-codes';
import { useState } from 'react';
import type { ReactNode } from 'react';
import { Field, TextField } from '../../components/form/field.tsx';
import { Form } from '../../components/form/form.tsx';
import { useKeys } from '../../lib/key-names.ts';

const NAMES = ['request_id', 'host', 'outcome', 'code', 'warning', 'endpoint', 'key_id', 'from', 'to'] as const;
export type RequestFilter = Readonly<Record<(typeof NAMES)[number], string>>;

const NO_FILTER: RequestFilter = readFilter(new URLSearchParams());

const OUTCOMES = ['succeeded', 'doubtful', 'failed'] as const;
const ENDPOINTS = ['/v1/extract', '/v1/dom/dump', '/v1/batches'] as const;

export function readFilter(search: URLSearchParams): RequestFilter {
  return Object.fromEntries(NAMES.map((name) => [name, search.get(name) ?? ''])) as RequestFilter;
}

/** Filter fields for the address. */
export function writeFilter(filter: RequestFilter): [string, string][] {
  return Object.entries(filter).filter(([, value]) => value !== '');
}

interface RequestFilterFormProps {
  readonly filter: RequestFilter;
  readonly onSearch: (filter: RequestFilter) => void;
}

export function RequestFilterForm({ filter, onSearch }: RequestFilterFormProps) {
  const keys = useKeys();
  const [draft, setDraft] = useState(filter);
  const applied = JSON.stringify(filter);
  const [seen, setSeen] = useState(applied);
  if (seen !== applied) {
    setSeen(applied);
    setDraft(filter);
  }
  const bind = (name: keyof RequestFilter) => ({
    value: draft[name],
    onChange: (value: string): void => setDraft({ ...draft, [name]: value.trim() }),
  });
  return (
    <search>
      <Form
        className="card filters"
        onSubmit={() => onSearch(draft)}
        actions={
          <div className="row">
            <button className="button primary">Search</button>
            <button
              type="button"
              className="button quiet"
              onClick={() => {
                setDraft(NO_FILTER);
                onSearch(NO_FILTER);
              }}
            >
              Clear
            </button>
          </div>
        }
      >
        <TextField label="Request id" type="search" placeholder="req_…" {...bind('request_id')} />
        <TextField label="Host" type="search" placeholder="example.com" {...bind('host')} />
        <Choice label="Outcome" {...bind('outcome')}>
          {OUTCOMES.map(toOption)}
        </Choice>
        <Choice label="Error code" {...bind('code')}>
          {ERROR_CODES.map(toOption)}
        </Choice>
        <Choice label="Warning" {...bind('warning')}>
          {DOUBT_CODES.map(toOption)}
        </Choice>
        <Choice label="Endpoint" {...bind('endpoint')}>
          {ENDPOINTS.map(toOption)}
        </Choice>
        <Choice label="Key" {...bind('key_id')}>
          {keys.data?.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </Choice>
        <TextField label="From" type="datetime-local" {...bind('from')} />
        <TextField label="Until" type="datetime-local" {...bind('to')} />
      </Form>
    </search>
  );
}

function toOption(value: string) {
  return <option key={value}>{value}</option>;
}

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly children: ReactNode;
}

function Choice({ label, value, onChange, children }: ChoiceProps) {
  return (
    <Field label={label}>
      {(props) => (
        <select {...props} className="input" value={value} onChange={(event) => onChange(event.target.value)}>
          <option value="">any</option>
          {children}
        </select>
      )}
    </Field>
  );
}
