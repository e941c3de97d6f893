import { useEffect, useRef, useState } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { formatAxis, formatCount, formatTime } from '../../lib/format.ts';

export interface ChartSeries {
  readonly name: string;
  readonly values: readonly (number | null)[];
  /** Colour of the style sheet, 1 to 4. */
  readonly color: number;
}

interface TimeChartProps {
  /** Description for screen readers. */
  readonly label: string;
  /** Seconds since 1970. */
  readonly times: readonly number[];
  readonly series: readonly ChartSeries[];
  readonly format: (value: number) => string;
  /** Bars for counts, lines for levels. */
  readonly kind?: 'bars' | 'lines';
  /** End of the axis. Default: above the largest value. */
  readonly most?: number;
}

const HEIGHT = 180;
/** Up to this number of values are also drawn as points. */
const FEW_POINTS = 24;
/** Steps of an axis of counts. */
const WHOLE_STEPS = [1, 2, 5]
  .flatMap((step) => [0, 1, 2, 3, 4, 5, 6].map((power) => step * 10 ** power))
  .toSorted((a, b) => a - b);
const FONT = '12px system-ui, sans-serif';

/** Series over time by uPlot, with a table of the same figures. */
export function TimeChart({ label, times, series, format, kind = 'lines', most }: TimeChartProps) {
  const holder = useRef<HTMLDivElement>(null);
  const theme = useThemeCount();
  const empty = series.every(({ values }) => values.every((value) => value === null || value === 0));
  useEffect(() => {
    const element = holder.current;
    if (!element || empty) return undefined;
    const plot = new uPlot(
      options(element.clientWidth, { series, format, kind, most }),
      [[...times], ...series.map(({ values }) => [...values])],
      element,
    );
    const observer = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      plot.destroy();
    };
  }, [times, series, format, kind, most, empty, theme]);
  return (
    <figure aria-label={label}>
      {empty ? (
        <div className="chart-empty">No data for this period</div>
      ) : (
        <div className="chart" ref={holder} aria-hidden="true" />
      )}
      {!empty && <Legend series={series} />}
      {!empty && <FigureTable label={label} times={times} series={series} format={format} />}
    </figure>
  );
}

function Legend({ series }: Pick<TimeChartProps, 'series'>) {
  if (series.length < 2) return null;
  return (
    <figcaption className="legend">
      {series.map(({ name, color }) => (
        <span key={name}>
          <i style={{ background: `var(--series-${color})` }} aria-hidden="true" /> {name}
        </span>
      ))}
    </figcaption>
  );
}

function FigureTable({ label, times, series, format }: Pick<TimeChartProps, 'label' | 'times' | 'series' | 'format'>) {
  const [open, setOpen] = useState(false);
  const rows = open
    ? times.flatMap((time, index) => {
        const values = series.map((one) => one.values[index] ?? null);
        return values.some((value) => value !== null && value !== 0) ? [{ time, values }] : [];
      })
    : [];
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>As a table</summary>
      <div className="table-wrap" tabIndex={0} role="group" aria-label={`${label}, as a table`}>
        <table className="table">
          <thead>
            <tr>
              <th>Time</th>
              {series.map(({ name }) => (
                <th key={name} className="number">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ time, values }) => (
              <tr key={time}>
                <td>{formatTime(new Date(time * 1000).toISOString())}</td>
                {values.map((value, index) => (
                  <td key={series[index]?.name} className="number">
                    {value === null ? '–' : format(value)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}

function options(
  width: number,
  { series, format, kind, most }: Pick<TimeChartProps, 'series' | 'format' | 'kind'> & { most: number | undefined },
): uPlot.Options {
  const [text, grid] = [readColor('--muted'), readColor('--line')];
  const axis = { stroke: text, grid: { stroke: grid, width: 1 }, ticks: { show: false }, font: FONT };
  return {
    width,
    height: HEIGHT,
    cursor: { y: false, points: { size: 6 } },
    legend: { show: false },
    scales: { y: { range: (_plot, _min, max) => [0, most ?? Math.max(max * 1.1, 1)] } },
    axes: [
      { ...axis, size: 30, space: 64, values: (_plot, ticks, _axis, _space, step) => formatAxis(ticks, step) },
      {
        ...axis,
        ...(format === formatCount ? { incrs: WHOLE_STEPS } : {}),
        size: 62,
        values: (_plot, ticks) => ticks.map((tick) => format(tick)),
      },
    ],
    series: [
      {},
      ...series.map(({ name, color, values }): uPlot.Series => {
        const stroke = readColor(`--series-${color}`);
        const shape = kind === 'bars' ? { paths: bars(), fill: stroke, points: { show: false } } : {};
        const isSparse = values.filter((value) => value !== null).length <= FEW_POINTS;
        // Lines stop at gaps: a value without neighbours is drawn as a point.
        const alone = values.flatMap((value, index) =>
          value !== null && (values[index - 1] ?? null) === null && (values[index + 1] ?? null) === null ? [index] : [],
        );
        const points = { show: true, size: 6, fill: stroke, ...(isSparse ? {} : { filter: () => alone }) };
        return { label: name, stroke, width: kind === 'bars' ? 0 : 2, spanGaps: false, points, ...shape };
      }),
    ],
  };
}

function bars(): uPlot.Series.PathBuilder {
  const build = uPlot.paths.bars?.({ size: [0.8, 24] });
  if (!build) throw new Error('uPlot has no bars');
  return build;
}

/** Resolves a colour of the style sheet for the canvas, without variables and light-dark(). */
function readColor(variable: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(${variable})`;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

/** Changes with the theme. */
function useThemeCount(): number {
  const [count, setCount] = useState(0);
  useEffect(() => {
    const change = (): void => setCount((before) => before + 1);
    const media = window.matchMedia('(prefers-color-scheme: dark)');
    media.addEventListener('change', change);
    window.addEventListener('themechange', change);
    return () => {
      media.removeEventListener('change', change);
      window.removeEventListener('themechange', change);
    };
  }, []);
  return count;
}
