import { Check, Segments, TextField } from '../../components/form/field.tsx';
import { Form } from '../../components/form/form.tsx';
import { OrderOptions } from './order-options.tsx';
import type { Order } from './order.ts';

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
          <IncludedParts order={order} onChange={onChange} />
          <OrderOptions order={order} onChange={onChange} />
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

function IncludedParts({ order, onChange }: Pick<OrderFormProps, 'order' | 'onChange'>) {
  return (
    <fieldset className="checks plain">
      <legend className="label">Include</legend>
      <Check label="Trace of the stages" checked={order.steps} onChange={(steps) => onChange({ steps })} />
      <Check label="Markdown" checked={order.markdown} onChange={(markdown) => onChange({ markdown })} />
      <Check label="Clean HTML" checked={order.html} onChange={(html) => onChange({ html })} />
      <Check label="Chunks" checked={order.chunks} onChange={(chunks) => onChange({ chunks })} />
      <Check label="Stated data" checked={order.stated} onChange={(stated) => onChange({ stated })} />
      <Check label="Raw DOM" checked={order.rawDom} onChange={(rawDom) => onChange({ rawDom })} />
    </fieldset>
  );
}
