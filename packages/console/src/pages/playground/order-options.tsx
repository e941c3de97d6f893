import { CHUNK_LIMITS } from '@winnow/contract/limits';
import { useState } from 'react';
import { CheckField, ChoiceField, LinesField, TextField } from '../../components/form/field.tsx';
import { useService } from '../../lib/project.tsx';
import { changed, COOKIE_LINES, countOptions, FIELDS, HEADER_LINES, SELECTORS } from './order.ts';
import type { Chunks, Content, Lines, ChosenMarkdown, Order, ChosenOptions, Workflow } from './order.ts';

interface OptionsProps {
  readonly order: Order;
  readonly onChange: (change: Partial<Order>) => void;
}

interface ValueProps<T> {
  readonly value: T | undefined;
  readonly onChange: (value: T | undefined) => void;
}

type Control<T> = (props: ValueProps<T>) => React.ReactNode;

type Controls<T> = { readonly [Name in keyof T]?: Control<NonNullable<T[Name]>> };
/** An option without a control does not compile. */
type EveryControl<T> = { readonly [Name in keyof Required<T>]: Control<NonNullable<T[Name]>> };

/** A control for a choice whose first value is the default. */
function choice<T extends string>(label: string, choices: readonly [T, ...T[]]): Control<T> {
  const [usual] = choices;
  return function Choice({ value = usual, onChange }) {
    const choose = (chosen: T): void => onChange(chosen === usual ? undefined : chosen);
    return <ChoiceField label={label} choices={choices} value={value} onChange={choose} />;
  };
}

function text(label: string, placeholder?: string): Control<string> {
  return function Text({ value = '', onChange }) {
    return <TextField label={label} placeholder={placeholder} value={value} onChange={onChange} />;
  };
}

interface NumberFieldProps extends ValueProps<number> {
  readonly label: string;
  readonly min: number;
  readonly max: number;
  /** Shown while no number is given. */
  readonly usual?: number | undefined;
}

function NumberField({ usual, value, onChange, ...field }: NumberFieldProps) {
  return (
    <TextField
      {...field}
      type="number"
      placeholder={usual === undefined ? undefined : String(usual)}
      value={String(value ?? '')}
      onChange={(entered) => onChange(entered === '' ? undefined : Number(entered))}
    />
  );
}

function number(label: string, min: number, max: number, usual?: number): Control<number> {
  return function Count(props) {
    return <NumberField label={label} min={min} max={max} usual={usual} {...props} />;
  };
}

function check(label: string): Control<boolean> {
  return function Checkbox({ value = false, onChange }) {
    return <CheckField label={label} checked={value} onChange={onChange} />;
  };
}

/** A control for several values, one a line. It keeps what is typed, which may not be complete yet. */
function lines<T extends object>(label: string, hint: string, placeholder: string, kind: Lines<T>): Control<T> {
  return function LinesOf({ value, onChange }) {
    const [typed, setTyped] = useState(() => (value === undefined ? '' : kind.format(value).join('\n')));
    const change = (entered: string): void => {
      setTyped(entered);
      const given = entered
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => line !== '');
      onChange(given.length === 0 ? undefined : kind.parse(given));
    };
    return <LinesField label={label} hint={hint} placeholder={placeholder} value={typed} onChange={change} />;
  };
}

type EngineName = NonNullable<ChosenOptions['engine_preference']>;

function Engine({ value = 'auto', onChange }: ValueProps<EngineName>) {
  const { data } = useService();
  const choose = (engine: string): void => onChange(engine === 'auto' ? undefined : (engine as EngineName));
  return <ChoiceField label="Engine" choices={data?.engines ?? [value]} value={value} onChange={choose} />;
}

function TimeLimit(props: ValueProps<number>) {
  const { data } = useService();
  const usual = data?.dump_timeout_ms ?? 30_000;
  return <NumberField label="Time limit in ms" min={1} max={120_000} usual={usual} {...props} />;
}

function WaitFor({ value = '', onChange }: ValueProps<string | number>) {
  return (
    <TextField
      label="Wait for"
      placeholder="#prices .row, or ms"
      value={String(value)}
      onChange={(entered) => onChange(/^\d+$/.test(entered) ? Number(entered) : entered.trimStart())}
    />
  );
}

type Scroll = NonNullable<ChosenOptions['scroll']>;

/** Items count only with steps. */
function ScrollLimits({ value, onChange }: ValueProps<Scroll>) {
  const read = (entered: string): number | undefined => (/^[1-9]\d*$/.test(entered) ? Number(entered) : undefined);
  const change = (steps: number | undefined, items: number | undefined): void =>
    onChange(steps === undefined ? undefined : { max_steps: steps, ...(items !== undefined && { max_items: items }) });
  return (
    <>
      <TextField
        label="Scroll steps"
        type="number"
        min={1}
        max={1000}
        placeholder="60"
        value={String(value?.max_steps ?? '')}
        onChange={(entered) => change(read(entered), value?.max_items)}
      />
      <TextField
        label="Scroll items"
        type="number"
        min={1}
        max={10_000}
        value={String(value?.max_items ?? '')}
        onChange={(entered) => change(value?.max_steps, read(entered))}
      />
    </>
  );
}

const RESOURCES = ['images', 'fonts', 'media', 'styles'] as const satisfies readonly Resource[];
type Resource = NonNullable<ChosenOptions['block']>[number];

function Blocked({ value = [], onChange }: ValueProps<Resource[]>) {
  return RESOURCES.map((resource) => (
    <CheckField
      key={resource}
      label={resource}
      checked={value.includes(resource)}
      onChange={(isBlocked) =>
        onChange(RESOURCES.filter((one) => (one === resource ? isBlocked : value.includes(one))))
      }
    />
  ));
}

type PageGroup = 'Capture' | 'Do not load' | 'Elements of the page' | 'Snapshot';

/** Every option of a capture: one without a row does not compile. */
const PAGE: {
  readonly [Name in keyof Required<ChosenOptions>]: readonly [PageGroup, Control<NonNullable<ChosenOptions[Name]>>];
} = {
  engine_preference: ['Capture', Engine],
  timeout_ms: ['Capture', TimeLimit],
  device: ['Capture', choice('Device', ['desktop', 'mobile'])],
  accept_language: ['Capture', text('Accept-Language', 'de-CH,de;q=0.9')],
  locale: ['Capture', text('Locale', 'de-CH')],
  timezone: ['Capture', text('Time zone', 'Europe/Zurich')],
  user_agent: ['Capture', text('User-Agent')],
  wait_for: ['Capture', WaitFor],
  scroll: ['Capture', ScrollLimits],
  consent: ['Capture', choice('Consent dialogs', ['hide', 'ignore', 'reject', 'accept'])],
  proxy: ['Capture', text('Proxy', 'eu')],
  headers: ['Capture', lines('Headers', 'One per line: a name, a colon, a value.', 'X-Preview: 1', HEADER_LINES)],
  cookies: ['Capture', lines('Cookies', 'One per line: a name, =, a value; or JSON.', 'session=f00d', COOKIE_LINES)],
  block: ['Do not load', Blocked],
  include_tags: ['Elements of the page', lines('Include', 'CSS selectors, one per line.', 'article', SELECTORS)],
  exclude_tags: ['Elements of the page', lines('Exclude', 'CSS selectors, one per line.', '.advert', SELECTORS)],
  screenshot: ['Snapshot', Screenshot],
  screenshot_format: ['Snapshot', choice('Picture format', ['webp', 'png'])],
  mhtml: ['Snapshot', check('MHTML file')],
  filter_scripts_styles: ['Snapshot', check('No scripts, styles')],
};

const PAGE_GROUPS: readonly PageGroup[] = ['Capture', 'Do not load', 'Elements of the page', 'Snapshot'];

function pageControls(group: PageGroup): Controls<ChosenOptions> {
  return Object.fromEntries(
    Object.entries(PAGE).flatMap(([name, [of, control]]) => (of === group ? [[name, control]] : [])),
  );
}

function Screenshot({ value, onChange }: ValueProps<NonNullable<ChosenOptions['screenshot']>>) {
  const choose = (chosen: 'none' | NonNullable<typeof value>): void => onChange(chosen === 'none' ? undefined : chosen);
  const choices = ['none', 'viewport', 'full_page'] as const;
  return <ChoiceField label="Screenshot" choices={choices} value={value ?? 'none'} onChange={choose} />;
}

/** The formats, the Markdown and the chunks have controls of their own. */
const CONTENT: EveryControl<Omit<Content, 'formats' | 'markdown' | 'chunks' | 'fields'>> = {
  favor: choice('Favor', ['balanced', 'precision', 'recall']),
  hidden_text: choice('Hidden text', ['drop', 'keep']),
};

const MARKDOWN: EveryControl<ChosenMarkdown> = {
  links: choice('Links', ['keep', 'text', 'references']),
  images: choice('Images', ['keep', 'alt', 'none']),
  title: check('With title'),
};

const CHUNKS: EveryControl<Chunks> = {
  max_characters: number('Longest chunk', CHUNK_LIMITS.min, CHUNK_LIMITS.max, CHUNK_LIMITS.default),
};

const WORKFLOW: EveryControl<Workflow> = {
  match_timeout_ms: number('Match, in ms', 1, 120_000),
  generate_timeout_ms: number('Generate, in ms', 1, 120_000),
  extract_timeout_ms: number('Extract, in ms', 1, 120_000),
};

const FIELD_LINES: Controls<Content> = {
  fields: lines(
    'Fields',
    'One per line: a name, a colon, and a selector (CSS, XPath or a path in JSON-LD); or JSON.',
    'price: .price\nbrand: Product:brand.name',
    FIELDS,
  ),
};

/** Options that most users leave as they are, in a closed section. */
export function OrderOptions({ order, onChange }: OptionsProps) {
  const count = countOptions(order);
  const { content } = order;
  const setContent = (next: Content): void => onChange({ content: next });
  const setMarkdown = (markdown: ChosenMarkdown): void =>
    setContent(changed(content, { markdown: Object.keys(markdown).length === 0 ? undefined : markdown }));
  const setChunks = (chunks: Chunks): void =>
    setContent({ ...content, ...(Object.keys(chunks).length > 0 || content.chunks ? { chunks } : {}) });
  const page = { values: order.options, onChange: (options: ChosenOptions) => onChange({ options }) };
  return (
    <details>
      <summary>Options{count > 0 && ` (${count} set)`}</summary>
      <div className="stack">
        {order.source === 'url' && (
          <>
            {PAGE_GROUPS.map((group) => (
              <OptionGroup
                key={group}
                {...page}
                legend={group}
                controls={pageControls(group)}
                {...(group === 'Do not load' ? { className: 'checks' } : {})}
              />
            ))}
            <TextField
              label="Cache-Control"
              hint="max-age=3600 reuses a snapshot of the last hour; only-if-cached fetches nothing."
              placeholder="no-cache"
              value={order.cacheControl}
              onChange={(cacheControl) => onChange({ cacheControl })}
            />
          </>
        )}
        <OptionGroup values={content} onChange={setContent} legend="Content" controls={CONTENT} />
        <OptionGroup
          values={content.markdown ?? {}}
          onChange={setMarkdown}
          legend="Form of the Markdown"
          controls={MARKDOWN}
        />
        <OptionGroup
          values={content.chunks ?? {}}
          onChange={setChunks}
          legend="Chunks, in characters"
          controls={CHUNKS}
        />
        <OptionGroup
          values={content}
          onChange={setContent}
          legend="Fields of your own"
          controls={FIELD_LINES}
          className="stack-s"
        />
        <OptionGroup
          values={order.workflow}
          onChange={(workflow) => onChange({ workflow })}
          legend="Time limits of stages, with a standalone key"
          controls={WORKFLOW}
        />
      </div>
    </details>
  );
}

interface OptionGroupProps<T extends object> {
  readonly legend: string;
  readonly className?: string;
  readonly controls: Controls<T>;
  readonly values: T;
  readonly onChange: (values: T) => void;
}

function OptionGroup<T extends object>({
  legend,
  className = 'options',
  controls,
  values,
  onChange,
}: OptionGroupProps<T>) {
  const rows = Object.entries(controls) as [keyof T & string, Control<unknown>][];
  return (
    <fieldset className={`${className} plain`}>
      <legend className="label">{legend}</legend>
      {rows.map(([name, Option]) => (
        <Option
          key={name}
          value={values[name]}
          onChange={(value) => onChange(changed(values, { [name]: value } as Partial<T>))}
        />
      ))}
    </fieldset>
  );
}
