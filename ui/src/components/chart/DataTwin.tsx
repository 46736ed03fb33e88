import type { TableData } from "./ChartTable";

/** The table twin of a chart in its place, for eyes and keys. It scrolls, so it can be focused. */
export function DataTwin({ caption, data, height }: { caption: string; data: TableData; height: number }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls and has nothing to focus in it
    <section className="data-twin scroll" style={{ height }} tabIndex={0} aria-label={caption}>
      <table aria-label={caption}>
        <thead>
          <tr>
            {data.head.map((name, column) => (
              <th key={name} scope="col" className={column === 0 ? undefined : "right"}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {data.rows.map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a row is its place, and a clock shows a time twice in autumn
            <tr key={index}>
              {row.map((value, column) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: a column is its place
                <td key={column} className={column === 0 ? "nowrap" : "right mono nowrap"}>
                  {value}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
