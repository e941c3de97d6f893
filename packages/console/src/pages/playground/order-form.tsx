import { Button } from '../../components/controls/button.tsx';
import { CheckField, Segments, TextField } from '../../components/form/field.tsx';
import { Form } from '../../components/form/form.tsx';
import { FormatChecks } from '../../components/form/format-checks.tsx';
import { withScheme } from '@winnow/contract/with-scheme';
import { OrderOptions } from './order-options.tsx';
import { changed, type Order } from './order.ts';

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
          <Button submits look="primary grow" label="Extract" disabled={busy} />
          {order.source === 'url' && !busy && (
            <Button label="Capture only" disabled={!URL.canParse(withScheme(order.url))} onClick={onDump} />
          )}
          {busy && <Button label="Stop" onClick={onStop} />}
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
          inputMode="url"
          autoCapitalize="none"
          spellCheck={false}
          required
          placeholder="https://example.com/news/1"
          value={order.url}
          onChange={(url) => onChange({ url })}
          onBlur={() => onChange({ url: withScheme(order.url) })}
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
  const { content, trace } = order;
  return (
    <fieldset className="checks plain">
      <legend className="label">Include</legend>
      <CheckField
        label="Trace of the stages"
        checked={trace.include_steps ?? false}
        onChange={(steps) => onChange({ trace: changed(trace, { include_steps: steps }) })}
      />
      <FormatChecks
        formats={content.formats ?? []}
        onChange={(formats) => onChange({ content: changed(content, { formats }) })}
      />
      <CheckField
        label="Chunks"
        checked={content.chunks !== undefined}
        onChange={(isWanted) => onChange({ content: changed(content, { chunks: isWanted ? {} : undefined }) })}
      />
      <CheckField
        label="Raw DOM"
        checked={trace.include_raw_dom ?? false}
        onChange={(isWanted) => onChange({ trace: changed(trace, { include_raw_dom: isWanted }) })}
      />
    </fieldset>
  );
}
