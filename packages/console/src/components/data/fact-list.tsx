import { Fragment, type ReactNode } from 'react';

interface FactListProps {
  /** Names and values; without a value (null, undefined, false) a fact is left out. */
  readonly facts: readonly (readonly [name: string, value: ReactNode])[];
}

export function FactList({ facts }: FactListProps) {
  const given = facts.filter(([, value]) => value !== null && value !== undefined && value !== false);
  return (
    <dl className="facts">
      {given.map(([name, value]) => (
        <Fragment key={name}>
          <dt>{name}</dt>
          <dd dir="auto">{value}</dd>
        </Fragment>
      ))}
    </dl>
  );
}
