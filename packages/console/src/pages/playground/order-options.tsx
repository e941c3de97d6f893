import { Check, ChoiceField, Field, LinesField, TextField } from '../../components/form/field.tsx';
import { useService } from '../../lib/project.tsx';
import { listSetOptions } from './order.ts';
import type {
  Device,
  Favor,
  HiddenText,
  Images,
  Links,
  Order,
  Resource,
  Screenshot,
  ScreenshotFormat,
} from './order.ts';

interface OptionsProps {
  readonly order: Order;
  readonly onChange: (change: Partial<Order>) => void;
}

const FAVORS: readonly Favor[] = ['balanced', 'precision', 'recall'];
const HIDDEN_TEXTS: readonly HiddenText[] = ['drop', 'keep'];
const LINKS: readonly Links[] = ['keep', 'text', 'references'];
const IMAGES: readonly Images[] = ['keep', 'alt', 'none'];
const DEVICES: readonly Device[] = ['desktop', 'mobile'];
const RESOURCES: readonly Resource[] = ['images', 'fonts', 'media', 'styles'];
const SCREENSHOTS: readonly Screenshot[] = ['none', 'viewport', 'full_page'];
const SCREENSHOT_FORMATS: readonly ScreenshotFormat[] = ['webp', 'png'];

/** Options that most users leave as they are, in a closed section. */
export function OrderOptions({ order, onChange }: OptionsProps) {
  const count = listSetOptions(order).length;
  return (
    <details>
      <summary>Options{count > 0 && ` (${count} set)`}</summary>
      <div className="stack">
        {order.source === 'url' && (
          <>
            <CaptureOptions order={order} onChange={onChange} />
            <PageParts order={order} onChange={onChange} />
            <Pictures order={order} onChange={onChange} />
          </>
        )}
        <ContentOptions order={order} onChange={onChange} />
      </div>
    </details>
  );
}

function CaptureOptions({ order, onChange }: OptionsProps) {
  const service = useService();
  return (
    <fieldset className="options plain">
      <legend className="label">Capture</legend>
      <Field label="Engine">
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
        label="Time limit in ms"
        type="number"
        min={1}
        max={120_000}
        placeholder={String(service.data?.dump_timeout_ms ?? 30_000)}
        value={order.timeoutMs}
        onChange={(timeoutMs) => onChange({ timeoutMs })}
      />
      <ChoiceField label="Device" choices={DEVICES} value={order.device} onChange={(device) => onChange({ device })} />
      <TextField
        label="Accept-Language"
        placeholder="de-CH,de;q=0.9"
        value={order.acceptLanguage}
        onChange={(acceptLanguage) => onChange({ acceptLanguage })}
      />
      <TextField label="User-Agent" value={order.userAgent} onChange={(userAgent) => onChange({ userAgent })} />
      <TextField
        label="Wait for"
        placeholder="#prices .row, or ms"
        value={order.waitFor}
        onChange={(waitFor) => onChange({ waitFor: waitFor.trimStart() })}
      />
    </fieldset>
  );
}

function PageParts({ order, onChange }: OptionsProps) {
  const block = (resource: Resource, isBlocked: boolean): void =>
    onChange({ block: RESOURCES.filter((one) => (one === resource ? isBlocked : order.block.includes(one))) });
  return (
    <>
      <fieldset className="checks plain">
        <legend className="label">Do not load</legend>
        {RESOURCES.map((resource) => (
          <Check
            key={resource}
            label={resource}
            checked={order.block.includes(resource)}
            onChange={(isBlocked) => block(resource, isBlocked)}
          />
        ))}
      </fieldset>
      <fieldset className="options plain">
        <legend className="label">Elements of the page</legend>
        <LinesField
          label="Include"
          hint="CSS selectors, one per line."
          placeholder="article"
          value={order.includeTags}
          onChange={(includeTags) => onChange({ includeTags })}
        />
        <LinesField
          label="Exclude"
          hint="CSS selectors, one per line."
          placeholder=".advert"
          value={order.excludeTags}
          onChange={(excludeTags) => onChange({ excludeTags })}
        />
      </fieldset>
    </>
  );
}

function Pictures({ order, onChange }: OptionsProps) {
  return (
    <fieldset className="options plain">
      <legend className="label">Snapshot</legend>
      <ChoiceField
        label="Screenshot"
        choices={SCREENSHOTS}
        value={order.screenshot}
        onChange={(screenshot) => onChange({ screenshot })}
      />
      <ChoiceField
        label="Picture format"
        choices={SCREENSHOT_FORMATS}
        value={order.screenshotFormat}
        onChange={(screenshotFormat) => onChange({ screenshotFormat })}
      />
      <Check label="MHTML file" checked={order.mhtml} onChange={(mhtml) => onChange({ mhtml })} />
      <Check label="No scripts, styles" checked={order.filter} onChange={(filter) => onChange({ filter })} />
    </fieldset>
  );
}

function ContentOptions({ order, onChange }: OptionsProps) {
  return (
    <>
      <fieldset className="options plain">
        <legend className="label">Content</legend>
        <ChoiceField label="Favor" choices={FAVORS} value={order.favor} onChange={(favor) => onChange({ favor })} />
        <ChoiceField
          label="Hidden text"
          choices={HIDDEN_TEXTS}
          value={order.hiddenText}
          onChange={(hiddenText) => onChange({ hiddenText })}
        />
      </fieldset>
      <fieldset className="options plain">
        <legend className="label">Form of the Markdown</legend>
        <ChoiceField label="Links" choices={LINKS} value={order.links} onChange={(links) => onChange({ links })} />
        <ChoiceField label="Images" choices={IMAGES} value={order.images} onChange={(images) => onChange({ images })} />
        <Check label="With title" checked={order.title} onChange={(title) => onChange({ title })} />
      </fieldset>
      <LinesField
        label="Fields"
        hint="One per line: a name, a colon, and a selector (CSS, XPath or a path in JSON-LD)."
        placeholder={'price: .price\nbrand: Product:brand.name'}
        value={order.fields}
        onChange={(fields) => onChange({ fields })}
      />
    </>
  );
}
