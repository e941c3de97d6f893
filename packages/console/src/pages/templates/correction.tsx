import type { TemplateSelectorDocument } from '@winnow/client';
import { useMemo, useState } from 'react';
import { Button } from '../../components/controls/button.tsx';
import { ChoiceField, TextField } from '../../components/form/field.tsx';
import { Form } from '../../components/form/form.tsx';
import { findHits, readNodeValue, type StoredDocument } from '../../lib/stored-document.ts';
import { suggestSelectors } from '../../lib/suggest-selectors.ts';

interface CorrectionProps {
  readonly page: StoredDocument;
  readonly picked: number | undefined;
  readonly field: string;
  readonly onTake: (selector: TemplateSelectorDocument) => void;
  readonly onStop: () => void;
}

export function Correction(props: CorrectionProps) {
  const { page, picked, field, onStop } = props;
  const element = picked === undefined ? undefined : page.elements[picked];
  return (
    <section className="card stack" aria-label={`Correct ${field}`}>
      <h2>Correct {field}</h2>
      {element ? (
        <SelectorForm key={picked} {...props} element={element} />
      ) : (
        <>
          <p className="muted">Click the node on the page that has the right value.</p>
          <Button label="Cancel" onClick={onStop} />
        </>
      )}
    </section>
  );
}

/** Attributes with usable values. */
const VALUE_ATTRIBUTES = ['datetime', 'content', 'title', 'href', 'src', 'alt'];

function SelectorForm({ page, element, onTake, onStop }: CorrectionProps & { readonly element: Element }) {
  const suggestions = useMemo(() => suggestSelectors(page, element), [page, element]);
  const [css, setCss] = useState(suggestions[0]?.css ?? '');
  const [attribute, setAttribute] = useState(() => (element.hasAttribute('datetime') ? 'datetime' : ''));
  const attributes = VALUE_ATTRIBUTES.filter((name) => element.hasAttribute(name));
  const hits = css === '' ? undefined : findHits(page, { css });
  const first = hits?.[0] === undefined ? undefined : page.elements[hits[0]];
  const value = first && readNodeValue(first, attribute === '' ? undefined : attribute);
  return (
    <Form
      onSubmit={() => onTake({ css, ...(attribute === '' ? {} : { attribute }) })}
      actions={
        <div className="row">
          <Button submits look="primary" label="Use it" disabled={hits === undefined || hits.length === 0} />
          <Button label="Cancel" onClick={onStop} />
        </div>
      }
    >
      <TextField
        label="Selector"
        problem={hits === undefined ? 'Not a CSS selector' : undefined}
        className="mono"
        required
        value={css}
        onChange={setCss}
      />
      <ul className="stack-s" aria-label="Suggestions">
        {suggestions.map((one) => (
          <li key={one.css}>
            <Button look="small selector-choice mono" label={one.css} onClick={() => setCss(one.css)} />
            <span className="muted small">
              {' '}
              {one.why}, {one.hits === 1 ? '1 hit' : `${one.hits} hits`}
            </span>
          </li>
        ))}
      </ul>
      <ChoiceField
        label="Read"
        choices={[
          { value: '', label: 'its text' },
          ...attributes.map((name) => ({ value: name, label: `its ${name}` })),
        ]}
        value={attribute}
        onChange={setAttribute}
      />
      <p className="small">
        <span className="muted">Here it reads: </span>
        {value === undefined || value === '' ? 'nothing' : value.slice(0, 200)}
      </p>
    </Form>
  );
}
