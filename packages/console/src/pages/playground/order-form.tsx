import { Check, Field, Segments, TextField } from '../../components/form/field.tsx';
import { Form } from '../../components/form/form.tsx';
import { useService } from '../../lib/project.tsx';
import type { Favor, HiddenText, Order } from './order.ts';

interface OrderFormProps {
  readonly order: Order;
  readonly busy: boolean;
  readonly onChange: (change: Partial<Order>) => void;
  readonly onRun: () => void;
  readonly onDump: () => void;
  readonly onStop: () => void;
}

const SOURCES = [
  { value: 'url', label: 'URL' },
  { value: 'snapshot', label: 'Snapshot' },
] as const;

const FAVORS: readonly Favor[] = ['balanced', 'precision', 'recall'];
const HIDDEN_TEXTS: readonly HiddenText[] = ['drop', 'keep'];

export function OrderForm({ order, busy, onChange, onRun, onDump, onStop }: OrderFormProps) {
  return (
    <Form
      className="card stack"
      onSubmit={onRun}
      actions={
        <div className="row">
          <button className="button primary grow" disabled={busy}>
            Extract
          </button>
          {order.source === 'url' && !busy && (
            <button type="button" className="button" disabled={!URL.canParse(order.url)} onClick={onDump}>
              Capture only
            </button>
          )}
          {busy && (
            <button type="button" className="button" onClick={onStop}>
              Stop
            </button>
          )}
        </div>
      }
      options={
        <>
          {order.source === 'url' && <CaptureOptions order={order} onChange={onChange} />}
          <ContentOptions order={order} onChange={onChange} />
        </>
      }
    >
      <div>
        <Segments
          label="Extract from"
          value={order.source}
          options={SOURCES}
          onChange={(source) => onChange({ source })}
        />
      </div>
      {order.source === 'url' ? (
        <TextField
          label="Page URL"
          type="url"
          required
          placeholder="https://example.com/news/1"
          value={order.url}
          onChange={(url) => onChange({ url })}
        />
      ) : (
        <TextField
          label="Snapshot id"
          hint="The dom_id of an earlier answer; nothing is fetched."
          className="mono"
          required
          placeholder="dom_…"
          value={order.domId}
          onChange={(domId) => onChange({ domId })}
        />
      )}
    </Form>
  );
}

function CaptureOptions({ order, onChange }: Pick<OrderFormProps, 'order' | 'onChange'>) {
  const service = useService();
  return (
    <>
      <Field
        label="Engine"
        hint="Any engine other than auto captures the page first, then extracts from that snapshot."
      >
        {(props) => (
          <select
            {...props}
            className="input"
            value={order.engine}
            onChange={(event) => onChange({ engine: event.target.value })}
          >
            {(service.data?.engines ?? ['auto']).map((engine) => (
              <option key={engine}>{engine}</option>
            ))}
          </select>
        )}
      </Field>
      <TextField
        label="Time limit in milliseconds"
        hint={`Applies to the capture. Leave empty for the default${defaultOf(service.data?.dump_timeout_ms)}.`}
        type="number"
        min={1}
        max={120_000}
        placeholder="30000"
        value={order.timeoutMs}
        onChange={(timeoutMs) => onChange({ timeoutMs })}
      />
      <Check
        label="Remove scripts and styles from the snapshot"
        checked={order.filter}
        onChange={(filter) => onChange({ filter })}
      />
    </>
  );
}

function ContentOptions({ order, onChange }: Pick<OrderFormProps, 'order' | 'onChange'>) {
  return (
    <>
      <Field label="Favor" hint="Precision leaves out more of what is doubtful, recall less.">
        {(props) => (
          <select
            {...props}
            className="input"
            value={order.favor}
            onChange={(event) => onChange({ favor: event.target.value as Favor })}
          >
            {FAVORS.map((favor) => (
              <option key={favor}>{favor}</option>
            ))}
          </select>
        )}
      </Field>
      <Field label="Hidden text" hint="Text that the page hides is written for machines, and may mislead them.">
        {(props) => (
          <select
            {...props}
            className="input"
            value={order.hiddenText}
            onChange={(event) => onChange({ hiddenText: event.target.value as HiddenText })}
          >
            {HIDDEN_TEXTS.map((choice) => (
              <option key={choice}>{choice}</option>
            ))}
          </select>
        )}
      </Field>
      <fieldset className="stack-s plain">
        <legend className="label">Include</legend>
        <Check label="Trace of the stages" checked={order.steps} onChange={(steps) => onChange({ steps })} />
        <Check label="Markdown" checked={order.markdown} onChange={(markdown) => onChange({ markdown })} />
        <Check label="Clean HTML" checked={order.html} onChange={(html) => onChange({ html })} />
        <Check label="Chunks" checked={order.chunks} onChange={(chunks) => onChange({ chunks })} />
        <Check label="Stated data" checked={order.stated} onChange={(stated) => onChange({ stated })} />
        <Check label="Raw DOM" checked={order.rawDom} onChange={(rawDom) => onChange({ rawDom })} />
      </fieldset>
    </>
  );
}

/** The default in parentheses, once known. */
function defaultOf(ms: number | undefined): string {
  return ms === undefined ? '' : ` (${ms / 1000} s)`;
}
