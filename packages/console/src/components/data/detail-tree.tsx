/** A JSON object as names and values; nested objects as JSON. */
export function DetailTree({ value }: { readonly value: Readonly<Record<string, unknown>> }) {
  return (
    <dl className="facts">
      {Object.entries(value).map(([name, item]) => (
        <Pair key={name} name={name.replaceAll('_', ' ')} value={item} />
      ))}
    </dl>
  );
}

function Pair({ name, value }: { readonly name: string; readonly value: unknown }) {
  return (
    <>
      <dt>{name}</dt>
      <dd className={typeof value === 'object' && value !== null ? 'mono' : ''}>{write(value)}</dd>
    </>
  );
}

function write(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === null || value === undefined) return '–';
  if (Array.isArray(value) && value.length === 0) return 'none';
  return JSON.stringify(value);
}
