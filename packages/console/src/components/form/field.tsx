import { useId, type InputHTMLAttributes, type ReactNode, type TextareaHTMLAttributes } from 'react';

interface FieldProps {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly problem?: string | undefined;
  readonly children: (props: {
    id: string;
    'aria-describedby': string | undefined;
    'aria-invalid': boolean;
  }) => ReactNode;
}

/** A labelled input with hint and problem for screen readers. */
function Field({ label, hint, problem, children }: FieldProps) {
  const id = useId();
  const note = problem ?? hint;
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children({
        id,
        'aria-describedby': note === undefined ? undefined : `${id}-note`,
        'aria-invalid': problem !== undefined,
      })}
      {note !== undefined && (
        <span id={`${id}-note`} className={problem === undefined ? 'hint' : 'problem'}>
          {note}
        </span>
      )}
    </div>
  );
}

interface TextFieldProps
  extends Omit<InputHTMLAttributes<HTMLInputElement>, 'onChange' | 'children'>, Omit<FieldProps, 'children'> {
  readonly value: string;
  readonly onChange: (value: string) => void;
}

export function TextField({ label, hint, problem, onChange, className, ...input }: TextFieldProps) {
  return (
    <Field label={label} hint={hint} problem={problem}>
      {(props) => (
        <input
          {...props}
          {...input}
          className={className === undefined ? 'input' : `input ${className}`}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}

export interface Choice<T extends string> {
  readonly value: T;
  readonly label: string;
}

interface ChoiceFieldProps<T extends string> {
  readonly label: string;
  readonly hint?: string;
  /** A text is its own label. */
  readonly choices: readonly (T | Choice<T>)[];
  readonly value: T;
  readonly onChange: (value: T) => void;
}

export function ChoiceField<T extends string>({ label, hint, choices, value, onChange }: ChoiceFieldProps<T>) {
  const options = choices.map((one) => (typeof one === 'string' ? { value: one, label: one } : one));
  return (
    <Field label={label} hint={hint}>
      {(props) => (
        <select
          {...props}
          className="input"
          value={value}
          onChange={(event) => {
            const chosen = options.find((option) => option.value === event.target.value);
            if (chosen !== undefined) onChange(chosen.value);
          }}
        >
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

interface LinesFieldProps extends Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, 'onChange' | 'children'> {
  readonly label: string;
  readonly hint: string;
  readonly onChange: (value: string) => void;
}

/** A text of several lines that is no prose. */
export function LinesField({ label, hint, onChange, ...input }: LinesFieldProps) {
  return (
    <Field label={label} hint={hint}>
      {(props) => (
        <textarea
          rows={2}
          {...props}
          {...input}
          className="input mono"
          spellCheck={false}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}

interface SegmentsProps<T extends string> {
  readonly label: string;
  readonly value: T;
  readonly options: readonly { readonly value: T; readonly label: string }[];
  readonly onChange: (value: T) => void;
}

/** A choice of a few values, as radio buttons in a row. */
export function Segments<T extends string>({ label, value, options, onChange }: SegmentsProps<T>) {
  const name = useId();
  return (
    <div className="segments" role="radiogroup" aria-label={label}>
      {options.map((option) => (
        <label key={option.value}>
          <input
            type="radio"
            name={name}
            value={option.value}
            checked={option.value === value}
            onChange={() => onChange(option.value)}
          />
          {option.label}
        </label>
      ))}
    </div>
  );
}

interface CheckProps {
  readonly label: string;
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
}

export function CheckField({ label, checked, onChange }: CheckProps) {
  return (
    <label className="check">
      <input type="checkbox" checked={checked} onChange={(event) => onChange(event.target.checked)} />
      <span>{label}</span>
    </label>
  );
}
